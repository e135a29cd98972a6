"""The web side: pages, forms and the JSON of turn links. No rules of any game here."""
