"""Incoming mails: taken off the wire, judged, handed to their recipients. Must not know what a move is."""
