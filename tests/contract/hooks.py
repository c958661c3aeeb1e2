"""Teaches schemathesis streams of lines: to send them, to make some that are nearly right, and to look at each line of
an answer."""

import json

import jsonschema_rs
import schemathesis
from hypothesis import strategies as st

LINES = "application/x-ndjson"


@schemathesis.serializer(LINES, "application/jsonl")
def lines(ctx, value):
    if isinstance(value, bytes):
        return {"data": value}
    return {"data": (value if isinstance(value, str) else json.dumps(value)).encode("utf-8", "surrogatepass")}


@schemathesis.deserializer(LINES)
def text(ctx, response):
    return response.content.decode()


boards = st.one_of(
    st.just("9.7.....6824.3......1..9..2.9...2.18...4....51325.8......687.........8.9.4.9...5."),
    st.text(".0123456789", min_size=80, max_size=82),
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)
requests = st.fixed_dictionaries(
    {"board": boards | anything},
    optional={
        "algorithm": st.sampled_from(["fast", "mrv", "exact_cover", "dlx"]),
        "max_nodes": st.integers(0, 20_000),
        "max_solutions": st.integers(0, 20),
        "cages": st.lists(st.fixed_dictionaries({"cells": st.lists(st.sampled_from(["r1c1", "r5c5", "r9c9"]))})),
    },
)
batches = st.lists(
    boards | st.text() | st.one_of(boards, anything, requests).map(json.dumps), max_size=20
).flatmap(lambda batch: st.sampled_from(["\n", "\r\n", "\n\n"]).map(lambda end: end.join(batch)))


@schemathesis.hook.apply_to(path_regex="/batch$")
def before_generate_body(ctx, strategy):
    return strategy | batches


@schemathesis.check
def each_line_is_described(ctx, response, case):
    if response.headers.get("content-type") != [LINES]:
        return
    document = case.operation.schema.raw_schema
    name = "SolveBatchLine" if case.operation.path == "/solve/batch" else "ValidateBatchLine"
    line_schema = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
    validator = jsonschema_rs.Draft202012Validator(line_schema)
    answers = [json.loads(line) for line in response.content.splitlines()]
    for answer in answers:
        for error in validator.iter_errors(answer):
            raise AssertionError(f"{error} in {answer}")
    assert answers and answers[-1].get("end") is True, "the last line is the end"
    assert not any("end" in answer for answer in answers[:-1]), "no other line is the end"
