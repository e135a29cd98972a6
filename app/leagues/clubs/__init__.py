"""A club: who belongs to it, what it announces, and the trail of what was done. It knows no event."""
