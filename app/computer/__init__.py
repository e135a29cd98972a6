"""The computer as an opponent, and games that are looked back on.

It sits in seats without a player, so that whatever concerns people (mails, clocks, reliability, ratings, events) passes
it by. `queue` writes a row for every decision that a game asks of it, in the transaction that asks; processes of their
own (`processes`) lease these rows: `thinking` draws what the seat knows (`engine.kernel.search.see`) and hands nothing
else to `choosing`, which knows no server. The move is played as a person's is.
"""
