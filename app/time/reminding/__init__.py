"""Mails that clocks cause: reminders and digests, outside of quiet hours."""
