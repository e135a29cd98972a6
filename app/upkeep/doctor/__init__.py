"""Looks a server over before somebody complains: what is well, what is not, what to do. Must not mend anything."""
