"""What happens after a passed deadline: cases, claims, rulings of operators, nudges. Must not know competitions; it
asks through the port."""
