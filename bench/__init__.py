"""`python -m bench`: what a commit costs. Prebuilt frames against a server that has a core to itself."""
