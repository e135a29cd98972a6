"""What a player has here: the archive, profiles, feeds, and all personal data as a file. Must not know competitions; it
asks through the port."""
