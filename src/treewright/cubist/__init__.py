"""What only Cubist has: its table, its rules with linear models, committees, its neighbours and its listing."""
