"""Compare what Kafka and tidemark store on disk for the same requests, record by record."""
