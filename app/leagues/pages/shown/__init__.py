"""What several pages of leagues show in the same way: tables, charts, crosstables. Must not read a form."""
