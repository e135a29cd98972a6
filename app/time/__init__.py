"""Time: pending decisions and their clocks, calendars, leave, quiet hours, reminders, outages. Must not know how a
game is played."""
