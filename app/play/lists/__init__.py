"""Lists of games, and what they say about each. Knows no page."""
