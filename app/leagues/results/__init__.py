"""From games that have ended to points, standings, ratings and records. Knows nothing of the next round."""
