"""The lessons, and the pages of the rules. They must not know a stored game."""
