"""Before a game: open games, invitations, the front page. Must not know competitions."""
