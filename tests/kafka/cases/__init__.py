"""Every module here holds cases; each has its recorded answers of Kafka's in ../recorded."""
