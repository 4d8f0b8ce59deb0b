"""The operations of /v1, one module per subject."""
