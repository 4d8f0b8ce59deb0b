"""`tidemark transactions`: kafka-transactions."""
