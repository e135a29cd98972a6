"""What follows when a deadline has passed: cases, claims, rulings of operators, nudges. Must not know competitions;
it asks through the port."""
