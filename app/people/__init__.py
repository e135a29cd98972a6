"""People: sign-in, accounts, blocks, with their pages, mails and command. Knows no game in progress and no
competition."""
