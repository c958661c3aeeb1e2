//! Which origins may read answers. The test client knows only the default, so these look at the headers themselves.

use reqwest::{Method, Response};
use sudoku_server::config::{Config, CorsOrigins};

use crate::app::{TestApp, spawn_app};

async fn send(app: &TestApp, method: Method, path: &str, origin: Option<&str>) -> Response {
    let mut request = reqwest::Client::new().request(method.clone(), format!("http://{}{path}", app.client.addr));
    if let Some(origin) = origin {
        request = request.header("origin", origin);
    }
    if method == Method::OPTIONS {
        request = request.header("access-control-request-method", "POST");
    }
    request.send().await.unwrap()
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers().get(name).map(|value| value.to_str().unwrap())
}

fn listed(config: &mut Config) {
    config.cors_origins = CorsOrigins::Listed(vec!["https://a.example".into(), "http://localhost:3000".into()]);
}

#[tokio::test]
async fn listed_origins_may_read_and_all_others_are_answered_all_the_same() {
    let app = spawn_app(listed).await;
    for (method, path, status) in [
        (Method::GET, "/livez", 200),
        (Method::GET, "/nowhere", 404),
        (Method::DELETE, "/solve", 405),
        (Method::POST, "/solve", 415),
        (Method::OPTIONS, "/solve", 200),
    ] {
        for (origin, allowed) in [
            (Some("https://a.example"), true),
            (Some("http://localhost:3000"), true),
            (Some("https://b.example"), false),
            (Some("https://a.example.evil"), false),
            (Some("null"), false),
            (None, false),
        ] {
            let response = send(&app, method.clone(), path, origin).await;
            let at = format!("{method} {path} from {origin:?}");
            assert_eq!(response.status().as_u16(), status, "{at}");
            assert_eq!(header(&response, "access-control-allow-origin"), origin.filter(|_| allowed), "{at}");
            // On every answer, or a cache would hand one origin's answer to another.
            let vary = header(&response, "vary").unwrap_or_default().to_lowercase();
            assert!(vary.contains("origin"), "{at}: Vary is {vary:?}");
        }
    }
}

#[tokio::test]
async fn by_default_every_origin_may_read_and_answers_do_not_vary() {
    let app = spawn_app(|_| {}).await;
    let response = send(&app, Method::GET, "/version", Some("https://a.example")).await;
    assert_eq!(header(&response, "access-control-allow-origin"), Some("*"));
    assert_eq!(header(&response, "vary"), None);
}
