"""`tidemark watch`: what tidemark knows about its own committed offsets, for any Kafka cluster. Read only."""
