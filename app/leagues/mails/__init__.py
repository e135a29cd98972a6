"""The mails of clubs and competitions. Must not change anything, nor know any page."""
