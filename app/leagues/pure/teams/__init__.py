"""Matches of teams: line-ups, boards, results, tables of teams. Pure: no database, no pages, no clock.

A team is an `Competitor` like a player, so byes, Berger tables and Swiss pairings are those of `app.leagues.pure`; it
has
a *squad* of players, of whom each match has a line-up, one for each *board*.
"""
