"""What pages need from a title besides its rules: drawing, facts, words, sets of tiles. Knows no person, and no
database rows but the sets."""
