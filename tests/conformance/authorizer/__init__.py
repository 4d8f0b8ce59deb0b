"""Compares decisions about random ACLs with those of Kafka's StandardAuthorizer."""
