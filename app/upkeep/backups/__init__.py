"""Backups of a whole server as one file, and the way back; the same for both kinds of databases."""
