"""Mails that come in: taken off the wire, judged, handed to whom they are for. Must not know what a move is."""
