"""The command `tidemark-pipeline`."""
