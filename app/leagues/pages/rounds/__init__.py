"""The pages of rounds, drafts and challenges. They must not decide anything."""
