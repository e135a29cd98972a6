"""Examining a server before anybody complains: what is well, what is not, what to do. Must not repair anything."""
