"""Compare the output of Kafka's command line tools for tidemark with their output for Kafka."""
