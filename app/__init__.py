"""Post Road, a play-by-email server for board games: everything around the rules. Knows no title's rules."""
