//! `GET /problems` and `GET /problems/{name}` for people: what a `type` in an answer leads to.

use std::fmt::Write;

use axum::{http::HeaderMap, response::Response};

use super::super::{
    documents,
    problem::{Description, PREFIX, ProblemKind},
};

/// Every kind of problem.
pub fn list(headers: &HeaderMap) -> Response {
    answer(headers, "", "Problems", &ProblemKind::ALL.map(ProblemKind::description))
}

/// One kind of problem.
pub fn one(headers: &HeaderMap, kind: ProblemKind) -> Response {
    let description = kind.description();
    answer(headers, "../", description.title, std::slice::from_ref(&description))
}

/// A page on these problems; `base` leads from its path to the service's root.
fn answer(headers: &HeaderMap, base: &str, title: &str, descriptions: &[Description]) -> Response {
    let mut entries = String::new();
    for Description { kind, title, status, description } in descriptions {
        let name = kind.strip_prefix(PREFIX).unwrap_or(kind);
        // Writing to a string cannot fail, and these texts are our own, without a character that HTML would mind.
        let _ = writeln!(
            entries,
            "<article class=\"problem\"><p class=\"status\">{status}</p><h2><a href=\"{base}problems/{name}\" \
             data-t=\"problem.{name}.title\">{title}</a></h2><p data-t=\"problem.{name}.text\">{description}</p>\
             <p><code>{kind}</code></p></article>",
        );
    }
    let template = str::from_utf8(super::PROBLEMS.plain).unwrap_or_default();
    let page = template.replace("{{base}}", base).replace("{{title}}", title).replace("{{problems}}", &entries);
    super::secured(documents::answer(headers, super::PROBLEMS.media_type, page.into()), super::STRICT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_need_no_escaping() {
        for Description { kind, title, description, .. } in ProblemKind::ALL.map(ProblemKind::description) {
            assert!(!format!("{kind}{title}{description}").contains(['<', '>', '&', '"']), "{kind}");
        }
    }
}
