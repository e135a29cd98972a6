"""What a person can do. No HTTP here: pages, the JSON of turn links, commands and tests all call these."""
