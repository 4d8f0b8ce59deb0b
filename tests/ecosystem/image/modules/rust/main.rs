//! testcontainers-modules starts the image; rskafka produces a record and consumes it.
//!
//! usage: main IMAGE
use std::collections::BTreeMap;
use std::error::Error;
use std::time::SystemTime;

use rskafka::client::ClientBuilder;
use rskafka::client::partition::{Compression, UnknownTopicHandling};
use rskafka::record::Record;
use testcontainers_modules::kafka::apache::{KAFKA_PORT, Kafka};
use testcontainers_modules::testcontainers::ImageExt;
use testcontainers_modules::testcontainers::runners::AsyncRunner;

const PATIENCE_MS: i32 = 60_000;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let image = std::env::args().nth(1).ok_or("usage: main IMAGE")?;
    let (name, tag) = image.rsplit_once(':').ok_or("the image has no tag")?;
    let container = Kafka::default()
        .with_name(name)
        .with_tag(tag)
        .start()
        .await?;
    let port = container.get_host_port_ipv4(KAFKA_PORT).await?;
    println!(
        "{}",
        produce_and_consume(format!("127.0.0.1:{port}")).await?
    );
    container.rm().await?;
    Ok(())
}

async fn produce_and_consume(broker: String) -> Result<String, Box<dyn Error>> {
    let client = ClientBuilder::new(vec![broker]).build().await?;
    client
        .controller_client()?
        .create_topic("orders", 1, 1, PATIENCE_MS)
        .await?;
    let orders = client
        .partition_client("orders", 0, UnknownTopicHandling::Retry)
        .await?;
    let order = Record {
        key: None,
        value: Some(b"an order".to_vec()),
        headers: BTreeMap::new(),
        timestamp: SystemTime::now().into(),
    };
    orders
        .produce(vec![order], Compression::NoCompression)
        .await?;
    let (fetched, _) = orders.fetch_records(0, 1..1_000_000, PATIENCE_MS).await?;
    let value = fetched
        .into_iter()
        .next()
        .and_then(|each| each.record.value)
        .ok_or("no record")?;
    Ok(String::from_utf8(value)?)
}
