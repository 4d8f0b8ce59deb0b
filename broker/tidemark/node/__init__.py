"""One node: its process-wide parts, and the incarnation that runs on them."""
