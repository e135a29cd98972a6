"""Players who come late, leave, or are replaced. They know no desk."""
