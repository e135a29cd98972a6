"""The pages of archive, profiles, feeds and personal data. Must not decide what is kept, nor know competitions."""
