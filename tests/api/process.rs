//! The binary while it runs: its health, its log, how it ends.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
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

/// What a busy machine may need for what takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running service; killed if a test leaves it.
struct Service {
    child: Child,
    log: BufReader<std::process::ChildStderr>,
    addr: String,
    admin_addr: Option<String>,
}

impl Service {
    fn start(variables: &[(&str, &str)]) -> Service {
        Service::spawn(command(&["--port", "0"]).envs(variables.iter().copied()))
    }

    /// Started by a shell that sets limits first, in the words of `ulimit`.
    fn limited(ulimit: &str, variables: &[(&str, &str)]) -> Service {
        let script = format!("{ulimit} && exec \"$0\" --port 0");
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &script, env!("CARGO_BIN_EXE_sudoku-server")]).env_clear();
        Service::spawn(shell.envs(variables.iter().copied()).stderr(Stdio::piped()).stdout(Stdio::null()))
    }

    fn spawn(command: &mut Command) -> Service {
        let mut child = command.spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let (addr, admin_addr) = loop {
            let mut line = String::new();
            assert_ne!(log.read_line(&mut line).unwrap(), 0, "it ended before it listened");
            let line: Value = serde_json::from_str(&line).unwrap();
            if line["message"] == "listening" {
                let addr = |member: &str| line[member].as_str().map(str::to_owned);
                break (addr("addr").unwrap(), addr("admin_addr"));
            }
        };
        Service { child, log, addr, admin_addr }
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
        assert_eq!(service.wait(PATIENCE), Some(0), "{signal}");
        let mut rest = String::new();
        service.log.read_to_string(&mut rest).unwrap();
        assert!(rest.contains("\"drained\":true"), "{rest}");
    }
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let mut service = Service::start(&[("SUDOKU_DRAIN_DELAY", "60s")]);
    service.signal("TERM");
    let mut line = String::new();
    while !line.contains("shutting down") {
        assert_ne!(service.log.read_line(&mut line).unwrap(), 0, "the first one lets it drain");
    }
    service.signal("TERM");
    assert_eq!(service.wait(PATIENCE), Some(143));
}

#[test]
fn the_health_of_a_service_is_asked_by_its_own_binary() {
    let mut service = Service::start(&[]);
    assert_eq!(run(&["healthcheck", "--port", service.port()], &[]).0, Some(0));
    assert_eq!(run(&["healthcheck"], &[("SUDOKU_PORT", service.port()), ("SUDOKU_HOST", "0.0.0.0")]).0, Some(0));
    service.signal("TERM");
    service.wait(PATIENCE);
    let (code, _, stderr) = run(&["healthcheck", "--port", service.port()], &[]);
    assert_eq!((code, stderr.lines().count()), (Some(1), 1), "{stderr}");
}

#[test]
fn a_service_link_of_kubernetes_is_ignored_with_a_warning() {
    let mut service = Service::start(&[("SUDOKU_PORT", "tcp://10.0.0.1:8080"), ("SUDOKU_SERVICE_HOST", "10.0.0.1")]);
    // The flag --port 0 decides; what matters is that the variable does no harm.
    assert_eq!(run(&["healthcheck", "--port", service.port()], &[]).0, Some(0));
    service.signal("TERM");
    assert_eq!(service.wait(PATIENCE), Some(0));
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
        let trace = ("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
        post.header("x-request-id", "log-test").header(trace.0, trace.1).body(body).send().await.unwrap();
    });
    service.signal("TERM");
    service.wait(PATIENCE);
    let mut log = String::new();
    service.log.read_to_string(&mut log).unwrap();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let requests: Vec<&Value> = lines.iter().filter(|line| line["message"] == "request").collect();
    assert_eq!(requests.len(), 1, "{log}");
    let line = requests[0];
    assert_eq!((&line["method"], &line["route"], &line["status"]), (&"POST".into(), &"/solve".into(), &200.into()));
    assert_eq!(line["request_id"], "log-test");
    assert_eq!(line["trace_id"], "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(line["span_id"], "00f067aa0ba902b7");
    assert!(line["duration_us"].is_u64() && line["nodes"].is_u64(), "{line}");
}

/// The status of one GET, over a connection of its own.
fn get(addr: &str, path: &str) -> u16 {
    let mut stream = TcpStream::connect(addr).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("no answer: {answer:?}"))
}

#[test]
fn the_admin_address_has_the_metrics_alone_and_the_probes_too() {
    let mut service = Service::start(&[("SUDOKU_ADMIN_ADDR", "127.0.0.1:0"), ("SUDOKU_DRAIN_DELAY", "60s")]);
    let admin = service.admin_addr.clone().expect("the log tells the admin address");
    let cases = [
        ("/livez", 200, 200),
        ("/readyz", 200, 200),
        ("/metrics", 404, 200),
        ("/version", 200, 404),
        ("/solve", 405, 404),
        ("/openapi.yaml", 200, 404),
    ];
    for (path, on_main, on_admin) in cases {
        assert_eq!((get(&service.addr, path), get(&admin, path)), (on_main, on_admin), "{path}");
    }
    // Nothing listens on the main port that is named here, so it is the admin port that was asked.
    let asked = [("SUDOKU_ADMIN_ADDR", admin.as_str()), ("SUDOKU_PORT", "1")];
    assert_eq!(run(&["healthcheck"], &asked).0, Some(0));
    service.signal("TERM");
    while get(&service.addr, "/readyz") == 200 {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!((get(&admin, "/readyz"), get(&admin, "/livez"), get(&admin, "/metrics")), (503, 200, 200));
    assert_eq!(run(&["healthcheck"], &asked).0, Some(1));
    service.signal("TERM");
    assert_eq!(service.wait(PATIENCE), Some(143));
}

#[test]
fn an_admin_connection_does_not_hold_up_the_shutdown() {
    let mut service = Service::start(&[("SUDOKU_ADMIN_ADDR", "127.0.0.1:0")]);
    let _silent = TcpStream::connect(service.admin_addr.as_deref().unwrap()).unwrap();
    service.signal("TERM");
    assert_eq!(service.wait(PATIENCE), Some(0));
}

#[test]
fn a_taken_admin_port_is_one_line_and_69() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = taken.local_addr().unwrap().to_string();
    let (code, _, stderr) = run(&["--port", "0", "--admin-addr", &addr], &[]);
    assert_eq!(code, Some(69));
    assert!(stderr.contains(&addr) && stderr.lines().count() == 1, "{stderr}");
}

#[test]
fn the_limit_of_open_files_is_raised_as_far_as_it_goes() {
    let service = Service::limited("ulimit -Sn 64 && ulimit -Hn 512", &[]);
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", service.child.id())).unwrap();
    let files = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    assert_eq!(files.split_whitespace().skip(3).take(2).collect::<Vec<_>>(), ["512", "512"]);
}

#[test]
fn running_out_of_files_is_survived() {
    let mut service = Service::limited("ulimit -n 16", &[]);
    // Far more than the process may open; the rest waits in the kernel's backlog.
    let connections: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(&service.addr).unwrap()).collect();
    let mut line = String::new();
    while !line.contains("cannot accept connections") {
        line.clear();
        assert_ne!(service.log.read_line(&mut line).unwrap(), 0, "it ended");
    }
    drop(connections);
    assert_eq!(get(&service.addr, "/livez"), 200);
    service.signal("TERM");
    assert_eq!(service.wait(PATIENCE), Some(0));
}
