"""Many trees: how members are drawn from the rows, grown, weighted and combined, and what can be read from them."""
