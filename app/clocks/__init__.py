"""Time, computed: paces, standstills, deadlines, reminders. Pure: no database, no clock of its own, no mail.

A deadline is never counted down by a job. It is worked out from what happened in the game (when the clock of the
decision started, what is left of the bank, what was granted) and from what stands still (weekends, holidays, leave,
outages).
"""
