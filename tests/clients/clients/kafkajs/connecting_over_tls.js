// Lists topics over TLS with kafkajs. ../connecting_over_tls.py documents the arguments, after the name of the library.

const { Kafka, logLevel } = require('kafkajs')
const { readFileSync } = require('fs')

async function list(bootstrap, login) {
  const kafka = new Kafka({
    brokers: [bootstrap],
    logLevel: logLevel.NOTHING,
    retry: { retries: 0 },
    ssl: {
      ca: readFileSync(login.cafile),
      cert: login.certfile && readFileSync(login.certfile),
      key: login.keyfile && readFileSync(login.keyfile),
      servername: 'localhost',
    },
    sasl: login.mechanism && {
      mechanism: login.mechanism.toLowerCase(),
      username: login.user,
      password: login.password,
    },
  })
  const admin = kafka.admin()
  await admin.connect()
  const topics = await admin.listTopics()
  await admin.disconnect()
  return topics.sort()
}

async function main() {
  const [bootstrap, logins] = process.argv.slice(2)
  for (const login of JSON.parse(logins)) {
    try {
      console.log(JSON.stringify({ topics: await list(bootstrap, login) }))
    } catch (error) {
      console.log(JSON.stringify({ error: error.message }))
    }
  }
}

main()
