"""The timetable, and what a watchdog asks. Must not know a subject but by what it registers."""
