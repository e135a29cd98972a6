"""What has been played: replays, the analysis of positions, records. Knows no page."""
