"""The pages of a game and of its turn links. Must know neither any title's rules nor who runs the competition."""
