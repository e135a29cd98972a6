"""Clubs and their competitions: what organisers and players of a league can do, each action in one transaction.

Must not know a page or a rule of a title; what games ask of leagues goes through `app.games.competitions`.
"""
