//! Arbitrary input: never a 500, never an answer outside the contract (the client sees to that).

use proptest::{collection::vec, prelude::*, test_runner::Config};
use serde_json::{Value, json};

use crate::app::spawn_app;

/// JSON of any shape, with the names and texts of the API strewn in.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (0..12i64).prop_map(Value::from),
        ".*".prop_map(Value::from),
        "[1-9.]{9}".prop_map(Value::from),
        "r[0-9]c[0-9]".prop_map(Value::from),
        Just(json!("mrv")),
    ];
    leaf.prop_recursive(4, 64, 10, |inner| {
        let name = prop_oneof![name(), Just("sum".to_owned()), Just("cells".to_owned()), ".*"];
        prop_oneof![
            vec(inner.clone(), 0..10).prop_map(Value::from),
            vec((name, inner), 0..6).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["board", "cages", "algorithm", "max_nodes", "max_solutions"]).prop_map(str::to_owned)
}

/// A request that is nearly right.
fn near_request() -> impl Strategy<Value = Value> {
    let board = prop_oneof![
        vec("[1-9.]{9}", 9).prop_map(|rows| json!(rows)),
        "[.]{60}[1-9.]{21}".prop_map(Value::from),
        vec(vec(0..10, 9), 9).prop_map(|rows| json!(rows)),
        any_json(),
    ];
    let cell = (1..10, 1..10).prop_map(|(row, column)| format!("r{row}c{column}"));
    let cage = (1..46, vec(cell, 0..5)).prop_map(|(sum, cells)| json!({"sum": sum, "cells": cells}));
    let cages = vec(prop_oneof![9 => cage, 1 => any_json()], 0..12);
    (board, prop::option::of(cages), prop::option::of(any_json()), 1..2000u32).prop_map(
        |(board, cages, more, nodes)| {
            let mut request = json!({"board": board, "max_nodes": nodes});
            if let Some(cages) = cages {
                request["cages"] = cages.into();
            }
            if let Some(more) = more {
                request["algorithm"] = more;
            }
            request
        },
    )
}

#[test]
fn any_request_gets_an_answer_of_the_contract() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let app = runtime.block_on(spawn_app(|_| {}));
    let config = Config { failure_persistence: None, ..Config::with_cases(300) };
    proptest!(config, |(body in prop_oneof![any_json(), near_request()])| {
        for path in ["/solve", "/validate"] {
            let answer = runtime.block_on(app.post(path, &body));
            prop_assert!([200, 422].contains(&answer.status), "{path} {}", answer.text);
        }
    });
}

#[test]
fn any_bytes_get_an_answer_of_the_contract() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let app = runtime.block_on(spawn_app(|_| {}));
    let config = Config { failure_persistence: None, ..Config::with_cases(200) };
    let mixed = vec(prop::sample::select(br#"{}[]",:.0123eE+-\u board"#.to_vec()), 0..60);
    proptest!(config, |(body in prop_oneof![vec(any::<u8>(), 0..200), mixed])| {
        let answer = runtime.block_on(app.client.post("/solve", body));
        prop_assert!([400, 422].contains(&answer.status), "{}", answer.text);
    });
}
