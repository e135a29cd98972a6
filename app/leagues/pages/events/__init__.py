"""The pages of an event and of those who run it. They decide nothing themselves."""
