"""What a person keeps here: the archive, profiles, feeds, and all of their data as a file. Must not know
competitions; it asks through the port."""
