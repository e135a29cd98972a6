"""Backups of a server as one file, and restoring them, for either database. Must not know what a row means."""
