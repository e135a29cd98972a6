"""The toolkit of all pages: session, reader, forms, errors, headers. Knows no subject of its own."""
