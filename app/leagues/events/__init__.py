"""An event as data: its terms, who plays in it, its rounds as they are stored. It knows no pairing and no results."""
