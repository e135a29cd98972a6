"""The pages of a club. They must not decide anything."""
