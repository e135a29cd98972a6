"""Teams, their line-ups, and the boards of a round between them. Knows no standings of single players."""
