"""Orders that come as answers by mail: what they mean, what follows and is answered. Must not know a mail's form."""
