"""What pages need from A Few Acres of Snow besides its rules. Must not know persons, the database or another title."""
