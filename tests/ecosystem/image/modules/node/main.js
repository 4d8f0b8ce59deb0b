// @testcontainers/kafka starts the image; kafkajs produces a record and consumes it.
//
// usage: node main.js IMAGE
const { KafkaContainer } = require("@testcontainers/kafka");
const { Kafka, logLevel } = require("kafkajs");

async function main(image) {
  const container = await new KafkaContainer(image).start();
  try {
    const address = `${container.getHost()}:${container.getMappedPort(9093)}`;
    const kafka = new Kafka({ brokers: [address], logLevel: logLevel.ERROR });
    const producer = kafka.producer();
    await producer.connect();
    await producer.send({ topic: "orders", messages: [{ value: "an order" }] });
    await producer.disconnect();
    const consumer = kafka.consumer({ groupId: "billing" });
    await consumer.connect();
    await consumer.subscribe({ topic: "orders", fromBeginning: true });
    await new Promise((resolve) => {
      consumer.run({
        eachMessage: async ({ message }) => {
          console.log(message.value.toString());
          resolve();
        },
      });
    });
    await consumer.disconnect();
  } finally {
    await container.stop();
  }
}

main(process.argv[2]).catch((error) => {
  console.error(error);
  process.exit(1);
});
