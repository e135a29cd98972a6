"""What an event begins from and what is left of it: last season, files from elsewhere, its end. It knows no desk."""
