"""The front page, and the pages of open games. Must not know competitions."""
