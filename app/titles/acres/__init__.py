"""What pages need of A Few Acres of Snow beside its rules."""
