"""What every title fulfils, and what all titles share: decisions, chance, refusals, records, notation."""
