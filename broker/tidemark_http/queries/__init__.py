"""The read-only routes of /v1, one module per subject."""
