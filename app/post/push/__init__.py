"""Pushes: what mails tell, told at once to the devices of a player, encrypted to each of them.

A notification is a row beside the mail that it tells of. It starts no clock, and nothing else depends on it.
"""
