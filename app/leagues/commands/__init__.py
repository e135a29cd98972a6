"""The commands of clubs and competitions."""
