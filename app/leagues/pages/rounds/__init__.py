"""The pages of rounds, drafts and challenges. They decide nothing themselves."""
