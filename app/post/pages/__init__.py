"""Pages of the post: the embedded mailbox, and stopping mails."""
