"""Cases by topic. Kafka's responses to the cases of a module are in the file of that name in ../recorded."""
