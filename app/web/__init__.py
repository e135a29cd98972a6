"""The kit that all pages are made with: session, reader, forms, errors, headers. Knows no subject of its own."""
