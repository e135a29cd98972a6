"""Webhooks: which calls are owed, what they say, and how they are made without reaching into private networks."""
