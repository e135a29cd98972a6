"""Time that does not count: leave, days of it taken automatically, holidays."""
