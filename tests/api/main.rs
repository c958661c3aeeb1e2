//! Black-box tests over real sockets. Every answer of every test goes through one client that holds it to openapi.yaml.
// A test says by its failure what was expected; and it may sleep where nothing else runs on its thread.
#![allow(missing_docs, clippy::unwrap_used, clippy::disallowed_methods)]

mod app;
mod batch;
mod cases;
mod client;
mod connection;
mod contract;
mod cors;
mod endpoints;
mod overload;
mod process;
mod properties;
mod readme;
mod start;
mod strictness;
