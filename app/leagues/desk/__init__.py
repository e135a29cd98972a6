"""What the week asks of those who run a club, and the acts that answer it. It knows no page."""
