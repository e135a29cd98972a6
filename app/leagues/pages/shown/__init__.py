"""What several pages of leagues show alike: tables, charts, crosstables. It must not read a form."""
