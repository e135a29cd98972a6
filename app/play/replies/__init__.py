"""Orders sent as answers by mail: what they mean, their effect and the reply. Must not know a mail's form."""
