//! Starts the service, or asks it for its health, and turns the end into an exit code.

use std::{env, ffi::OsString, process::ExitCode};

fn main() -> ExitCode {
    sudoku_server::start(env::args_os().skip(1).map(text), |name| env::var_os(name).map(text))
}

/// What is no UTF-8 becomes text that no flag takes, and so is refused by name as every other wrong value.
fn text(argument: OsString) -> String {
    argument.to_string_lossy().into_owned()
}
