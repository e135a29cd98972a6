"""What is stored, and how: the database, its columns and statements, the outbox, leases, rows set aside, limits."""
