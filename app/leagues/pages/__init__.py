"""The pages of clubs and their competitions. Forms are carried out in the other rooms of `app.leagues`, not here."""
