"""What every room stands on: settings, database, outbox, links, languages, limits, refusals. Knows no subject above
it."""
