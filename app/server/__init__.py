"""Puts a server together, and runs its processes. It knows every room, and no room knows it."""
