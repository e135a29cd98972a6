"""Pages of the post: the embedded mailbox, and stopping mails. Must not know what a mail is about."""
