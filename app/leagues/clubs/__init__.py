"""A club: who belongs to it, what it announces, and the audit trail. Knows nothing of events."""
