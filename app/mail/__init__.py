"""Mails: planned in the transaction that causes them, rendered and handed over outside of it."""
