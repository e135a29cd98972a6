"""Clubs and their competitions: what organisers and players of a league can do, each in one transaction."""
