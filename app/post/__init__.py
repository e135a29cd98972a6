"""The post: mails rendered, handed over, stopped; webhooks beside them. Must not know what a move is."""
