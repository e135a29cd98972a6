"""Players who come late, leave, or are replaced. Knows nothing of the desk."""
