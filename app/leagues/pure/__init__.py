"""Pairing and standings, pure: no database, no pages, no clock, no chance of their own."""
