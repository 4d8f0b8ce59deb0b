"""Produce and consume with Avro: ordering_with_avro.py BOOTSTRAP REGISTRY GROUP ITEM. Prints facts as JSON.

It registers the schema if that is new, produces an order for the item, and consumes all orders.
"""

from __future__ import annotations

import json
import sys

from confluent_kafka import DeserializingConsumer, SerializingProducer
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer

ORDER = '{"type":"record","name":"Order","fields":[{"name":"item","type":"string"}]}'
INCOMPATIBLE = '{"type":"record","name":"Order","fields":[{"name":"item","type":"long"}]}'

bootstrap, url, group, item = sys.argv[1:]
registry = SchemaRegistryClient({"url": url})
serializer = AvroSerializer(registry, ORDER)
producer = SerializingProducer({"bootstrap.servers": bootstrap, "value.serializer": serializer})
producer.produce("orders", value={"item": item})
producer.flush()
consumer = DeserializingConsumer(
    {
        "bootstrap.servers": bootstrap,
        "group.id": group,
        "auto.offset.reset": "earliest",
        "value.deserializer": AvroDeserializer(registry),
    }
)
consumer.subscribe(["orders"])
items: list[str] = []
while item not in items:
    message = consumer.poll(1)
    if message is not None:
        items.append(message.value()["item"])
consumer.close()
registry.set_compatibility("orders-value", "BACKWARD")
facts = {
    "items": items,
    "subjects": registry.get_subjects(),
    "versions": registry.get_versions("orders-value"),
    "incompatible": not registry.test_compatibility("orders-value", Schema(INCOMPATIBLE, "AVRO")),
}
print(json.dumps(facts))
