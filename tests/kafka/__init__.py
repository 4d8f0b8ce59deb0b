"""The same requests to Apache Kafka and to us, and the same answers. case.py tells how a case is written."""
