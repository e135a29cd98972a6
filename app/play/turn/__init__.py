"""A turn: read, put together, held, played. It knows no page."""
