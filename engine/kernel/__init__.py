"""What all titles share: decisions, chance, refusals, records, notation. Must not know any title."""
