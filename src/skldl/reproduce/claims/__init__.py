"""What the papers claim, and whether it holds in our numbers: a module per paper."""
