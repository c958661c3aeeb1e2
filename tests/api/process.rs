//! The binary while it runs: its health, its log, how it ends.

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sudoku-server"));
    command.args(arguments).env_clear().stderr(Stdio::piped()).stdout(Stdio::piped());
    command
}

fn run(arguments: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command(arguments).envs(variables.iter().copied()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

/// A running service; killed if a test leaves it.
struct Service {
    child: Child,
    log: BufReader<std::process::ChildStderr>,
    addr: String,
}

impl Service {
    fn start(variables: &[(&str, &str)]) -> Service {
        let mut child = command(&["--port", "0"]).envs(variables.iter().copied()).spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let addr = loop {
            let mut line = String::new();
            assert_ne!(log.read_line(&mut line).unwrap(), 0, "it ended before it listened");
            let line: Value = serde_json::from_str(&line).unwrap();
            if line["message"] == "listening" {
                break line["addr"].as_str().unwrap().to_owned();
            }
        };
        Service { child, log, addr }
    }

    fn signal(&self, name: &str) {
        let status = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    fn wait(&mut self, longest: Duration) -> Option<i32> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(began.elapsed() < longest, "it is still there after {longest:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn port(&self) -> &str {
        self.addr.rsplit_once(':').unwrap().1
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn either_signal_ends_an_idle_service_at_once_and_with_0() {
    for signal in ["TERM", "INT"] {
        let mut service = Service::start(&[]);
        service.signal(signal);
        assert_eq!(service.wait(Duration::from_secs(1)), Some(0), "{signal}");
        let mut rest = String::new();
        service.log.read_to_string(&mut rest).unwrap();
        assert!(rest.contains("\"drained\":true"), "{rest}");
    }
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let mut service = Service::start(&[("SUDOKU_DRAIN_DELAY", "60s")]);
    service.signal("TERM");
    std::thread::sleep(Duration::from_millis(100));
    assert!(service.child.try_wait().unwrap().is_none(), "the first one lets it drain");
    service.signal("TERM");
    assert_eq!(service.wait(Duration::from_secs(1)), Some(143));
}

#[test]
fn the_health_of_a_service_is_asked_by_its_own_binary() {
    let mut service = Service::start(&[]);
    assert_eq!(run(&["healthcheck", "--port", service.port()], &[]).0, Some(0));
    assert_eq!(run(&["healthcheck"], &[("SUDOKU_PORT", service.port()), ("SUDOKU_HOST", "0.0.0.0")]).0, Some(0));
    service.signal("TERM");
    service.wait(Duration::from_secs(1));
    let (code, _, stderr) = run(&["healthcheck", "--port", service.port()], &[]);
    assert_eq!((code, stderr.lines().count()), (Some(1), 1), "{stderr}");
}

#[test]
fn a_service_link_of_kubernetes_is_ignored_with_a_warning() {
    let mut service = Service::start(&[("SUDOKU_PORT", "tcp://10.0.0.1:8080"), ("SUDOKU_SERVICE_HOST", "10.0.0.1")]);
    // The flag --port 0 decides; what matters is that the variable does no harm.
    assert_eq!(run(&["healthcheck", "--port", service.port()], &[]).0, Some(0));
    service.signal("TERM");
    assert_eq!(service.wait(Duration::from_secs(1)), Some(0));
}

#[test]
fn the_log_is_one_json_object_a_line_with_no_probes_in_it() {
    let mut service = Service::start(&[]);
    let url = format!("http://{}", service.addr);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let http = reqwest::Client::new();
        http.get(format!("{url}/livez")).send().await.unwrap();
        http.get(format!("{url}/metrics")).send().await.unwrap();
        let body = format!("{{\"board\":\"{}\"}}", ".".repeat(81));
        let post = http.post(format!("{url}/solve")).header("content-type", "application/json");
        post.header("x-request-id", "log-test").body(body).send().await.unwrap();
    });
    service.signal("TERM");
    service.wait(Duration::from_secs(1));
    let mut log = String::new();
    service.log.read_to_string(&mut log).unwrap();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let requests: Vec<&Value> = lines.iter().filter(|line| line["message"] == "request").collect();
    assert_eq!(requests.len(), 1, "{log}");
    let line = requests[0];
    assert_eq!((&line["method"], &line["route"], &line["status"]), (&"POST".into(), &"/solve".into(), &200.into()));
    assert_eq!(line["request_id"], "log-test");
    assert!(line["duration_us"].is_u64() && line["nodes"].is_u64(), "{line}");
}
