"""Teams, their line-ups, and the boards of a round between them. They know no standings of single players."""
