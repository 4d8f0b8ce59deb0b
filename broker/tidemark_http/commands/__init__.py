"""The routes of /v1 that change something, one module per subject."""
