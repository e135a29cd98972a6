"""What players agree on or tell each other: results, takebacks, chat, reports. Knows no page."""
