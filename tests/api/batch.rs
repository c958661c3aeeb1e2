//! Streams of puzzles: `/solve/batch` and `/validate/batch`, over raw sockets, since most of what may go wrong with a stream
//! is in when its bytes go where.

mod cut;
mod flow;
mod lines;
mod shared;
mod wire;

use serde_json::{Value, json};
use sudoku_server::config::Config;

pub use wire::Batch;

const JSON: &str = "application/x-ndjson";
const TEXT: &str = "text/plain";

/// Propagation alone solves it.
const EASY: &str = "9.7.....6824.3......1..9..2.9...2.18...4....51325.8......687.........8.9.4.9...5.";
const SOLVED: &str = "957214386824736591361859742495372618786491235132568974519687423273145869648923157";

/// A board that no two others are equal to, until they begin again after 18: other digits in the same places.
fn relabelled(board: &str, number: usize) -> String {
    let turn = (number % 9) as u8;
    let change = |byte: u8| match (byte, number % 18 < 9) {
        (b'1'..=b'9', true) => b'1' + (byte - b'1' + turn) % 9,
        (b'1'..=b'9', false) => b'9' - (byte - b'1' + turn) % 9,
        _ => byte,
    };
    board.bytes().map(|byte| char::from(change(byte))).collect()
}

/// A line that keeps reading-order backtracking busy for hours.
fn hopeless() -> String {
    let board = format!("{}12345678.{}9", ".".repeat(60), ".".repeat(11));
    json!({"board": board, "algorithm": "reading_order", "max_nodes": 1_000_000_000_000u64}).to_string() + "\n"
}

/// So many threads, and budgets that let a line keep them.
fn threads(count: usize) -> impl FnOnce(&mut Config) {
    move |config| {
        config.solver_threads = Some(count.try_into().unwrap());
        config.max_nodes = 1_000_000_000_000;
        config.solve_timeout = std::time::Duration::from_secs(60);
    }
}

fn whole_end(lines: u64, answers: u64, problems: u64) -> Value {
    json!({"end": true, "lines": lines, "answers": answers, "problems": problems})
}

/// The last part of the type of the problem in a line.
fn problem(line: &Value) -> &str {
    line["problem"]["type"].as_str().and_then(|kind| kind.strip_prefix("/problems/")).unwrap_or_default()
}
