"""What stands before every page: limits, the line of strangers, the token of forms, and figures of requests."""
