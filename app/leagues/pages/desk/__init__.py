"""The pages of desk, week, messages and rulings. They decide nothing themselves."""
