"""What lies in log directories: files, logs, their copies, and what headers of batches tell. No Spark."""
