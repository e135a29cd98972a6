"""Who plays whom, by the formats: round robin, Swiss, knock-out, ladder, tables. Pure."""
