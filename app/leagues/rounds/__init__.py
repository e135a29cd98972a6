"""The next round: paired, reviewed, published, closed. Knows no rulings."""
