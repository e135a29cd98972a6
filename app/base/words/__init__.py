"""What people type and read: languages, sentences, texts, numbers, addresses, refusals. Knows no database."""
