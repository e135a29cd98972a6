"""What has been played: replays, the analysis of positions, records. It knows no page."""
