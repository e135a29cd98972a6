"""The commands of clubs and competitions. Decisions are made in `app.leagues`, not here."""
