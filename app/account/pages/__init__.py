"""The pages of archive, profiles, feeds and personal data."""
