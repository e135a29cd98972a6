"""Ferry for Post Road."""
