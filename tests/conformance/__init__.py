"""Send the same requests to Apache Kafka and to tidemark and compare the responses. See case.py."""
