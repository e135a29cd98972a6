"""Commands about games and their records."""
