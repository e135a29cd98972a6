"""The fate of mails as operators see it: made, handed over, bounced, given up, sent again."""
