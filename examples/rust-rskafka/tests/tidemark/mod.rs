//! A tidemark broker in a process of its own, and its HTTP API.
use serde_json::{json, Value};
use std::fs::{create_dir_all, read_to_string, remove_dir_all, File};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread::spawn;
use std::time::Duration;

const START_TIMEOUT: Duration = Duration::from_secs(30);

/// Stops when it is dropped, and also if this process is killed.
pub struct Tidemark {
    pub bootstrap: String,
    http: String,
    folder: PathBuf,
    process: Child,
}

impl Tidemark {
    /// Starts a broker on free ports. It accepts connections when this returns.
    pub fn start() -> Tidemark {
        let folder = std::env::temp_dir().join(format!("tidemark-{}", std::process::id()));
        create_dir_all(&folder).unwrap();
        let errors = folder.join("errors");
        let mut process = Command::new("tidemark")
            .args(["serve", "--port", "0", "--http-port", "0", "--test-api", "--stop-with-parent"])
            .args(["--set", "tidemark.sync=never", "--set", "group.initial.rebalance.delay.ms=0", "--data-dir"])
            .arg(folder.join("data"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(&errors).unwrap())
            .spawn()
            .expect("tidemark is on the PATH");
        let mut stdout = BufReader::new(process.stdout.take().unwrap());
        let (sender, lines) = channel();
        spawn(move || {
            let mut line = String::new();
            stdout.read_line(&mut line).unwrap();
            sender.send(line).ok();
        });
        let line = lines.recv_timeout(START_TIMEOUT).unwrap_or_default();
        if line.is_empty() {
            process.kill().ok();
            process.wait().ok();
            panic!("tidemark has not started within {START_TIMEOUT:?}: {}", read_to_string(&errors).unwrap());
        }
        let ready: Value = serde_json::from_str(&line).unwrap();
        let address = |name: &str| ready[name].as_str().unwrap().to_owned();
        Tidemark { bootstrap: address("bootstrap_servers"), http: address("http"), folder, process }
    }

    /// Moves time, and runs the expiration of offsets.
    pub fn advance_days(&self, days: u32) -> Value {
        self.post("/clock/advance", json!({ "days": days }))
    }

    /// Calls /v1. An error of the broker is the value of "error" in the result.
    pub fn post(&self, path: &str, body: Value) -> Value {
        let request = ureq::post(format!("http://{}/v1{path}", self.http));
        let request = request.config().http_status_as_error(false).build();
        request.send_json(body).unwrap().body_mut().read_json().unwrap()
    }

    pub fn get(&self, path: &str) -> Value {
        let request = ureq::get(format!("http://{}/v1{path}", self.http));
        let request = request.config().http_status_as_error(false).build();
        request.call().unwrap().body_mut().read_json().unwrap()
    }
}

impl Drop for Tidemark {
    fn drop(&mut self) {
        drop(self.process.stdin.take()); // --stop-with-parent: this stops it cleanly
        self.process.wait().ok();
        remove_dir_all(&self.folder).ok();
    }
}
