"""`python -m bench`: what a commit costs. Prebuilt frames against a server process that has a core to itself."""
