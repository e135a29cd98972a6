"""Assembling a server, and running its processes. It knows every room, and no room knows it."""
