"""The post: letters rendered, handed over, stopped; webhooks beside them. Must not know what a move is."""
