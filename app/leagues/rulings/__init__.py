"""Rulings of a competition: opened, decided, applied to a match and its game. Must not know a page or a mail."""
