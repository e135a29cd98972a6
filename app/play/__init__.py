"""What a player does in a game: turns, drafts, standing orders, takeback, replay, analysis, records. Must not know who
runs its competition."""
