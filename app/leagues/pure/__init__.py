"""Pairing and standings, pure: no database, no pages, no clock, no randomness of their own."""
