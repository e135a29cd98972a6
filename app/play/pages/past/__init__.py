"""Pages about what has been played: replay, analysis, proof, records. They must not change a game."""
