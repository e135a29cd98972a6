"""`postroad setup`: its questions, what is tried of each answer, and what becomes of them."""
