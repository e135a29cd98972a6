"""The pages of clubs and their competitions. Must not decide: what follows from a form stands in `app.leagues`."""
