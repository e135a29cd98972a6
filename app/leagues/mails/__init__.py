"""The mails of clubs and competitions."""
