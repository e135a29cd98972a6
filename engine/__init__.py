"""The games of Post Road as pure values: no server, no database, no clock, no entropy of their own."""
