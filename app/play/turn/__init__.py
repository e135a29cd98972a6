"""A turn: read, composed, held, played. Knows no page."""
