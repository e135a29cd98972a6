"""Time, computed: paces, standstills, deadlines, reminders. Pure: no database, no clock of its own, no mail.

No job counts a deadline down. It is computed from what happened in the game (when the clock of the decision started,
what is left of the bank, what was granted) and from standstills (weekends, holidays, leave, outages).
"""
