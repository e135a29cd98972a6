"""What a process is: its settings, its files, its log, its jobs, and how it stops."""
