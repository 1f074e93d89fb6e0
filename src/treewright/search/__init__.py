"""From the cells of a column to proposals: which splits of it are possible at every open node, and what they hold."""
