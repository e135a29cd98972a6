"""The commands of clubs and competitions. Must not decide: what follows from one stands in `app.leagues`."""
