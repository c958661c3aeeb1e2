//! What a client takes: media types and codings, by their quality (RFC 9110, section 12.4.2).

use axum::http::{HeaderMap, header};

use super::super::header_text;

/// Whether a client asks for HTML rather than for JSON. Browsers name `text/html`; who takes anything (`*/*`) or says
/// nothing is a program, and so is who takes both alike.
pub fn prefers_html(headers: &HeaderMap) -> bool {
    let accept = header_text(headers, header::ACCEPT);
    let html = quality(accept, &["text/html", "text/*"]).unwrap_or(0);
    let json = quality(accept, &["application/json", "application/*", "*/*"]).unwrap_or(0);
    html > json
}

/// Whether a client takes gzip.
pub fn accepts_gzip(headers: &HeaderMap) -> bool {
    quality(header_text(headers, header::ACCEPT_ENCODING), &["gzip", "*"]).is_some_and(|quality| quality > 0)
}

/// The quality, in thousandths, of the first of these names that a list has.
fn quality(list: &str, names: &[&str]) -> Option<u16> {
    let named = |name: &&str| {
        list.split(',').find_map(|element| {
            let mut parts = element.split(';').map(str::trim);
            parts.next().filter(|found| found.eq_ignore_ascii_case(name))?;
            let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
            Some(weight.map_or(1000, thousandths))
        })
    };
    names.iter().find_map(named)
}

fn thousandths(weight: &str) -> u16 {
    weight.trim().parse::<f32>().map_or(0, |weight| (weight.clamp(0.0, 1.0) * 1000.0) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().unwrap())])
    }

    #[test]
    fn html_is_for_who_names_it() {
        let cases = [
            ("", false),
            ("*/*", false),
            ("application/json", false),
            ("application/json, text/html", false),
            ("text/html", true),
            ("TEXT/HTML;q=0.9, */*;q=0.8", true),
            ("text/html;level=1;q=0.5, application/json;q=0.4", true),
            ("text/html;q=0.4, application/json", false),
            ("text/html;q=0", false),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", true),
        ];
        for (accept, html) in cases {
            assert_eq!(prefers_html(&headers(header::ACCEPT, accept)), html, "{accept}");
        }
        assert!(!prefers_html(&HeaderMap::new()));
    }

    #[test]
    fn gzip_is_for_who_takes_it() {
        for (accepted, gzip) in
            [("", false), ("gzip", true), ("br, GZIP;q=0.5", true), ("*", true), ("gzip;q=0, *", false), ("br", false)]
        {
            assert_eq!(accepts_gzip(&headers(header::ACCEPT_ENCODING, accepted)), gzip, "{accepted}");
        }
    }
}
