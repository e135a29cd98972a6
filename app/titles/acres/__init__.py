"""What pages need of A Few Acres of Snow beside its rules. Must not know persons, the database or another title."""
