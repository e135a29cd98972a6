"""The pages of a club. They decide nothing themselves."""
