"""The pages of desk, week, messages and rulings. They must not decide anything."""
