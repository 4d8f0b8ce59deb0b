"""The cases, a module for each tool or two."""
