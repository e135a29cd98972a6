"""The proof that chance was fair: seeds, their public list, ends of games. Knows no page."""
