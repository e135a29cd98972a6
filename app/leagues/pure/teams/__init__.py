"""Matches of teams: line-ups, boards, results, tables of teams. Pure: no database, no pages, no clock.

A team is a `Competitor` like a player, so byes, Berger tables and Swiss pairings are those of `app.leagues.pure`. It
has a *squad* of players; each match has a line-up chosen from it, one player for each *board*.
"""
