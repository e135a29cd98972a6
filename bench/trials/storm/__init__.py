"""Tests a server under faults from outside: real processes, signals and mails, and players who keep playing.

`python -m bench.trials.storm --turns 5000 --database postgresql` plays both titles by form and JSON, some decisions
twice at once, while processes are killed and told to stop, the database crashes, the disk is full and the mail host
refuses, hangs up, swallows its answers and is slow. In the end it compares what the players were told with what the
server has stored, and exits with 1 if a turn is lost or counted twice, an owed mail is missing or a game does not
replay.

`servers` are the processes, `weather` is what happens to them, `players` play, `ledger` is what they were told,
`played` compares it with the log, `verdict` with the mails too, `signs` is what operators see.
"""
