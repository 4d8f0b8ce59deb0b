"""Read log directories: files, logs, their copies, and the headers of batches. Needs no Spark."""
