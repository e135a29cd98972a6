"""Clubs and their competitions, in a house of their own: what organisers and players of a league can do, each in one
transaction. Nothing below knows that it is here; what games ask of it goes through `app.games.contest`."""
