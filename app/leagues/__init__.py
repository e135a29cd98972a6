"""Clubs and their competitions, in a house of their own: what organisers and players of a league can do, each in one
transaction. Must not know a page or a rule of a title; what games ask of it goes through `app.games.competitions`."""
