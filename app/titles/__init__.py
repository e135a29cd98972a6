"""What pages need of a title beside its rules: drawing, facts, words, sets of tiles. Knows no person and no database
row but the sets."""
