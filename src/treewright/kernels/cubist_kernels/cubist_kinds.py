"""What kinds of attributes there are in Cubist."""

NUMERIC, BINARY, NOMINAL, ORDERED, IGNORED = 1, 2, 3, 4, 0
