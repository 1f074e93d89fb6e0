"""One lesson each: the steps of a calculation, with the numbers of a table."""
