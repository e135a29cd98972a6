"""The pages of clubs and their competitions. What follows from a form is decided by `app.leagues`."""
