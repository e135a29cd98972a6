"""From a row of the outbox to a mail: its template rendered, its pictures drawn, its bytes for the wire."""
