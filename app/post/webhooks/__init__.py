"""Webhooks: which calls are owed, what they say, and how they are made. Must not reach into private networks."""
