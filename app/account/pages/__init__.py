"""The pages of archive, profiles, feeds and personal data. Must neither decide what is kept nor know competitions."""
