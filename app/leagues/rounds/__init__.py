"""The next round: worked out, looked at, published, closed. It knows no rulings."""
