"""The rules of Ferry."""
