//! What an operator meets first: the exit code of the binary, and the one line that says why.
//!
//! Run as a process of its own, since how it reads its arguments and ends is not to be seen from inside.

use std::{
    ffi::OsStr,
    net::TcpListener,
    os::unix::ffi::OsStrExt,
    process::{Command, Output},
};

fn run(flags: &[&[u8]], variables: &[(&str, &[u8])]) -> Output {
    let text = |bytes| OsStr::from_bytes(bytes);
    Command::new(env!("CARGO_BIN_EXE_sudoku-server"))
        .args(flags.iter().map(|&flag| text(flag)))
        .env_clear()
        .envs(variables.iter().map(|&(name, value)| (name, text(value))))
        .output()
        .expect("cargo has built it")
}

#[test]
fn what_keeps_it_from_starting_is_told_in_one_line() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap();
    let port = format!("--port={}", taken.port());
    let port = port.as_bytes();
    type Case<'a> = (&'a str, &'a [&'a [u8]], &'a [(&'a str, &'a [u8])], i32, String);
    let cases: [Case; 10] = [
        ("an unknown flag", &[b"--nonsense"], &[], 64, "--nonsense".into()),
        ("an unknown command", &[b"sh"], &[], 64, "sh".into()),
        ("a flag that is no UTF-8", &[b"--port=\xff"], &[], 64, "--port".into()),
        ("a variable that is no UTF-8", &[], &[("SUDOKU_PORT", b"\xff")], 64, "SUDOKU_PORT".into()),
        ("a port out of range", &[b"--port=70000"], &[], 64, "--port".into()),
        ("a time without a unit", &[], &[("SUDOKU_QUEUE_WAIT", b"5")], 64, "SUDOKU_QUEUE_WAIT".into()),
        ("budgets that contradict", &[b"--default-nodes=11", b"--max-nodes=10"], &[], 64, "--default-nodes".into()),
        ("a host name", &[], &[("SUDOKU_HOST", b"localhost")], 64, "SUDOKU_HOST".into()),
        ("a port that is taken", &[port], &[], 69, format!("cannot listen on {taken}")),
        ("a health check of what is no service", &[b"healthcheck", b"--port=1"], &[], 1, "127.0.0.1:1".into()),
    ];
    for (what, flags, variables, code, named) in cases {
        let output = run(flags, variables);
        let line = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{what}: {line}");
        assert!(line.starts_with("sudoku-server: ") && line.lines().count() == 1, "{what}: {line}");
        assert!(line.contains(&named), "{what}: {line}");
        assert!(output.stdout.is_empty(), "{what}");
    }
}

#[test]
fn help_and_version_are_answers() {
    for (flag, said) in [("--help", "--shutdown-grace"), ("--version", env!("CARGO_PKG_VERSION"))] {
        let output = run(&[flag.as_bytes()], &[]);
        assert_eq!(output.status.code(), Some(0), "{flag}");
        assert!(String::from_utf8_lossy(&output.stdout).contains(said), "{flag}");
    }
}
