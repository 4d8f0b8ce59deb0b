"""`python -m bench`: the cost of a commit. Prebuilt frames are sent to a server with a core of its own."""
