"""Mails on their way out: leased, handed over, and what follows from the answer."""
