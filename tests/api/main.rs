//! Black-box tests over real sockets. Every answer of every test goes through one client that holds it to openapi.yaml.
#![allow(missing_docs)]

mod app;
mod cases;
mod client;
mod connection;
mod contract;
mod endpoints;
mod overload;
mod process;
mod properties;
mod readme;
mod start;
mod strictness;
