"""What pages need from New World besides its rules, and sets of tiles. Must not know persons or another title."""
