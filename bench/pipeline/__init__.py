"""`python -m bench.pipeline`: the cost of reading `__consumer_offsets`, on generated logs."""
