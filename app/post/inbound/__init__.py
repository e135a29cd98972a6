"""Mails that come in: taken off the wire, judged, and handed to whoever they are for."""
