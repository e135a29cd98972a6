"""Lists of games, and what they say of each. It knows no page."""
