"""The pages of a game and of its turn links. Must not know a rule of any title, nor who runs the competition."""
