"""The pages of a game and of its turn links."""
