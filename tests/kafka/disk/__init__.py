"""What is left on disk by the same requests, of Kafka's and of ours, record by record."""
