"""`python -m bench.pipeline`: what it costs to read `__consumer_offsets`, on logs that are made for it."""
