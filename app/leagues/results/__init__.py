"""From games that have ended to points, standings, ratings and records. They know nothing of the next round."""
