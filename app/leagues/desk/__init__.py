"""The week's tasks for those who run a club, and the acts that answer them. Knows no page."""
