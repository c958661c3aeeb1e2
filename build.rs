//! Makes the web page ready to be embedded: `web/` in, `$OUT_DIR/web.rs` out.
//!
//! Every folder of assets gets a name with the hash of its content, so that browsers may keep it for good; files inside
//! of a folder go on naming each other as they do in the sources. The HTML pages, which are asked for anew each time,
//! are rewritten to those names. Everything is compressed here, once, and not on the way of a request.

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io::Write as _,
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};

/// The folders that browsers get, in `web/` and under `/assets/`.
const FOLDERS: [(&str, &str); 3] = [("page", "page"), ("docs", "docs"), ("vendor/rapidoc", "rapidoc")];
/// The pages in `web/`, each with the name of its constant.
const PAGES: [(&str, &str); 3] = [("index.html", "INDEX"), ("docs.html", "DOCS"), ("problems.html", "PROBLEMS")];

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    println!("cargo:rerun-if-changed=web");
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let web = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("web");

    let mut code = String::from("/// Every file under `/assets/`, by its path there.\n");
    code += "pub static ASSETS: &[(&str, Document)] = &[\n";
    let mut renamed = Vec::new();
    for (source, folder) in FOLDERS {
        let files = files(&web.join(source))?;
        let name = format!("{folder}-{}", hash(&files));
        for (file, content) in &files {
            writeln!(code, "    ({:?}, {}),", format!("{name}/{file}"), document(&out, folder, file, content)?)?;
        }
        renamed.push((format!("assets/{folder}/"), format!("assets/{name}/")));
    }
    code += "];\n";
    for (file, constant) in PAGES {
        let mut page = fs::read_to_string(web.join(file))?;
        for (from, to) in &renamed {
            page = page.replace(from, to);
        }
        let document = document(&out, "pages", file, page.as_bytes())?;
        writeln!(code, "/// `web/{file}`.\npub static {constant}: Document = {document};")?;
    }
    fs::write(out.join("web.rs"), code)?;
    Ok(())
}

/// The files of a folder in the order of their names, so that the same sources give the same hash.
fn files(folder: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).ok_or("a file name that is not UTF-8")?;
        files.push((name.to_owned(), fs::read(&path)?));
    }
    files.sort();
    Ok(files)
}

/// Writes a file in both codings, and gives the expression that embeds it.
fn document(out: &Path, folder: &str, file: &str, content: &[u8]) -> Result<String> {
    let folder = out.join(folder);
    fs::create_dir_all(&folder)?;
    let plain = folder.join(file);
    fs::write(&plain, content)?;
    let gzip = folder.join(format!("{file}.gz"));
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    fs::write(&gzip, encoder.finish()?)?;
    Ok(format!(
        "Document {{ media_type: {:?}, hash: {:?}, plain: include_bytes!({plain:?}), gzip: include_bytes!({gzip:?}) }}",
        media_type(file)?,
        hash(&content),
    ))
}

fn media_type(file: &str) -> Result<&'static str> {
    match Path::new(file).extension().and_then(|extension| extension.to_str()) {
        Some("html") => Ok("text/html; charset=utf-8"),
        Some("css") => Ok("text/css; charset=utf-8"),
        Some("js") => Ok("text/javascript; charset=utf-8"),
        Some("svg") => Ok("image/svg+xml"),
        Some("txt") => Ok("text/plain; charset=utf-8"),
        _ => Err(format!("{file} is of no known media type").into()),
    }
}

fn hash(content: &impl Hash) -> String {
    // Not keyed, so that every build of the same sources gives the same names.
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
