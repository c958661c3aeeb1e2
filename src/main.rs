//! Starts the service, or asks it for its health, and turns the end into an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    sudoku_server::start(std::env::args().skip(1), |name| std::env::var(name).ok())
}
