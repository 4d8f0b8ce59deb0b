mod tidemark;

use chrono::Utc;
use rskafka::client::partition::{Compression, UnknownTopicHandling};
use rskafka::client::ClientBuilder;
use rskafka::record::Record;
use serde_json::json;
use std::collections::BTreeMap;
use tidemark::Tidemark;

#[tokio::test]
async fn an_offset_expires_after_a_week() {
    let broker = Tidemark::start();
    let client = ClientBuilder::new(vec![broker.bootstrap.clone()]).build().await.unwrap();
    client.controller_client().unwrap().create_topic("orders", 1, 1, 5_000).await.unwrap();
    let orders = client.partition_client("orders", 0, UnknownTopicHandling::Retry).await.unwrap();
    let order = Record {
        key: None,
        value: Some(b"one".to_vec()),
        headers: BTreeMap::new(),
        timestamp: Utc::now(),
    };
    orders.produce(vec![order], Compression::NoCompression).await.unwrap();
    let (records, _) = orders.fetch_records(0, 1..1_000_000, 1_000).await.unwrap();
    assert_eq!(records[0].record.value.as_deref(), Some(&b"one"[..]));

    // rskafka has no consumer groups, so tidemark commits the offset.
    broker.post("/seed", json!({ "groups": { "billing": { "orders": 1 } } }));
    assert_eq!(broker.advance_days(6)["offsets"], json!([]));
    let expired = &broker.advance_days(2)["offsets"];
    assert_eq!(expired[0]["cause"], "expired");
    let removals = broker.get("/expiry/log?group=billing");
    let why = removals["removals"][0]["explanation"].as_str().unwrap();
    assert!(why.starts_with("Offset 1 of orders-0 of group billing was removed at "), "{why}");
}
