"""Backups of a server as one file, and the way back, alike for both databases. Must not know what a row means."""
