"""What options mean, what they accept, and what others call them."""
