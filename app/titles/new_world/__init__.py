"""What pages need of New World beside its rules, and sets of tiles. Must not know persons or another title."""
