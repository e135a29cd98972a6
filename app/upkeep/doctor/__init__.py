"""Looks a server over before somebody complains: each thing is well or not, why, and what to do."""
