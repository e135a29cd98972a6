"""The mail host: the conversation with it, whether mails go out, and the meaning of its words."""
