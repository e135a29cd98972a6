"""Stored games: tables, log, state, and the transaction that writes them. Knows no page, no mail, no competition."""
