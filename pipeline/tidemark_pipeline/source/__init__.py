"""The data source: `format("tidemark")`, in batch and as a stream."""
