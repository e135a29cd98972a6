"""The foundation of all rooms: settings, database, outbox, links, languages, limits, refusals. Knows no subject above
it."""
