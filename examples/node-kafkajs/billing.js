/** The application under test: joins the group "billing", reads and commits one order, and leaves. */
export async function nextOrder(kafka) {
  const consumer = kafka.consumer({ groupId: "billing" });
  await consumer.connect();
  try {
    await consumer.subscribe({ topic: "orders", fromBeginning: true });
    return await new Promise((resolve, reject) => {
      let taken = false;
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
      const eachBatch = async ({ batch }) => {
        if (taken) return;
        taken = true;
        const [order] = batch.messages;
        const offset = String(BigInt(order.offset) + 1n);
        try {
          await consumer.commitOffsets([{ topic: batch.topic, partition: batch.partition, offset }]);
          resolve(order.value.toString());
        } catch (error) {
          reject(error);
        }
      };
      consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch }).catch(reject);
    });
  } finally {
    await consumer.disconnect();
  }
}
