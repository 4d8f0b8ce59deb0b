// Copies in transactions with kafkajs. ../copying.py documents its commands and facts. Argument: the address.
//
// kafkajs sends no group metadata and does not require stable offsets. So one process at a time reads all partitions, and
// its transactional id fences the one before it.

const { Kafka, logLevel } = require('kafkajs')
const { createInterface } = require('readline')

const BATCH = 10
const TARGET_PARTITIONS = 2
const TRANSACTION_TIMEOUT_MS = 6000
const SESSION_TIMEOUT_MS = 3000
const HEARTBEAT_MS = 300
const POLL_MS = 200
const END = 'end'
const RETRIES = { initialRetryTime: 100, maxRetryTime: 500, retries: 200 }

const kafka = new Kafka({
  brokers: process.argv[2].split(','),
  logLevel: logLevel.WARN,
  logCreator: () => ({ namespace, log }) => console.error(namespace, log.message, log.error ?? ''),
  retry: RETRIES,
})

function tell(event, facts = {}) {
  process.stdout.write(JSON.stringify({ event, at: Number(process.hrtime.bigint()) / 1e9, ...facts }) + '\n')
}

function fail(error) {
  console.error(error)
  tell('failed', { error: `${error.name}: ${error.message}` })
  process.exit(0)
}

function newConsumer(groupId) {
  return kafka.consumer({
    groupId,
    readUncommitted: false,
    sessionTimeout: SESSION_TIMEOUT_MS,
    rebalanceTimeout: SESSION_TIMEOUT_MS,
    heartbeatInterval: HEARTBEAT_MS,
    maxWaitTimeInMs: POLL_MS,
    retry: RETRIES,
  })
}

async function copy(job) {
  const producer = kafka.producer({
    transactionalId: job.transactional_id,
    transactionTimeout: TRANSACTION_TIMEOUT_MS,
    maxInFlightRequests: 1,
    idempotent: true,
    retry: RETRIES,
    createPartitioner: () => ({ message }) => message.partition,
  })
  const consumer = newConsumer(job.group)
  await producer.connect()
  // The first transaction waits until the one of the process before has ended.
  await (await producer.transaction()).abort()
  await consumer.connect()
  await consumer.subscribe({ topics: [job.source], fromBeginning: true })
  consumer.on(consumer.events.CRASH, ({ payload }) => payload.restart || fail(payload.error))
  tell('ready')
  let number = 0
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    eachBatch: async ({ batch, resolveOffset, heartbeat, isRunning, isStale }) => {
      for (let first = 0; first < batch.messages.length; ) {
        if (!isRunning() || isStale()) return
        const messages = batch.messages.slice(first, first + BATCH)
        try {
          if (await transact(producer, job, batch.partition, messages, number++)) {
            resolveOffset(messages.at(-1).offset)
            first += BATCH
          }
        } catch (error) {
          fail(error) // an error of kafkajs does not say whether the transaction can be continued
        }
        await heartbeat()
      }
    },
  })
}

// Copy the messages in one transaction. Return whether it was committed.
async function transact(producer, job, partition, messages, number) {
  const transaction = await producer.transaction()
  tell('begun')
  // One request for each target. If a leader moves while kafkajs 2 sends to two brokers, it may drop the records for
  // one of them, and report success: a retry leaves out the brokers that have responded (sendMessages.js).
  for (let target = 0; target < TARGET_PARTITIONS; target++) {
    const copies = messages.filter(({ offset }) => Number(offset) % TARGET_PARTITIONS === target)
    if (copies.length === 0) continue
    await transaction.send({
      topic: job.target,
      messages: copies.map(({ key, offset }) => ({ key, value: `${partition}:${offset}`, partition: target })),
    })
  }
  tell('sent')
  const offset = String(BigInt(messages.at(-1).offset) + 1n)
  await transaction.sendOffsets({
    consumerGroupId: job.group,
    topics: [{ topic: job.source, partitions: [{ partition, offset }] }],
  })
  tell('offsets')
  if (number % job.abort_every === job.abort_every - 1) {
    await transaction.abort()
    tell('aborted', { error: '' })
    return false
  }
  await transaction.commit()
  tell('committed', { count: messages.length })
  return true
}

async function read({ topic, count }) {
  const consumer = newConsumer(`readers of ${topic} ${process.pid}`)
  const left = new Set(Array(count).keys())
  const records = []
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await new Promise((resolve) => {
    consumer.run({
      autoCommit: false,
      eachMessage: async ({ partition, message }) => {
        const value = message.value.toString()
        if (value === END) {
          left.delete(partition)
        } else {
          records.push([partition, Number(message.offset), value])
        }
        if (left.size === 0) resolve()
      },
    })
  })
  tell('read', { records })
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { do: what, ...job } = JSON.parse(line)
  ;(what === 'copy' ? copy(job) : read(job)).catch(fail)
})
process.stdin.on('end', () => process.exit(0))
