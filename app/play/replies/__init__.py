"""Orders that come as answers by mail: what their words mean, what follows, and the mail that says so."""
