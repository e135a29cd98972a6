"""The timetable, and what a watchdog asks. Knows subjects only by what they register."""
