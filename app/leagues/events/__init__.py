"""An event as data: its terms, its players, its rounds as stored. Knows no pairing and no results."""
