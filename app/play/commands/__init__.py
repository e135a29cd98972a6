"""Commands about games and their records. Must not know who runs a game's competition."""
