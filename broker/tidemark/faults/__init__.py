"""Faults on request: which requests they match, how long they last, and what they do."""
