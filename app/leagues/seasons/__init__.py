"""Where an event comes from and what it leaves: last season, imported files, its end. Knows no desk."""
