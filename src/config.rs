//! Flags and environment variables, as plain values.
//!
//! Every flag is also a variable: `SUDOKU_` and its name in capitals, dashes as underscores. A flag wins over its
//! variable, `SUDOKU_PORT` over `PORT`, and all of them over the default. A variable that is empty counts as unset.
//! Variables are handed to clap as flags that stand before the real ones, so both are read, checked and refused by the
//! same code, and the last one wins.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    num::NonZeroUsize,
    time::Duration,
};

use bytesize::ByteSize;
use clap::{
    ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, builder::BoolishValueParser,
    error::ErrorKind,
};

/// Solves and validates classic and Killer Sudoku over HTTP.
#[derive(Debug, Clone, Parser)]
#[command(name = "sudoku-server", version, args_override_self = true, disable_help_subcommand = true)]
#[command(
    after_help = "Every flag is also an environment variable: --queue-wait is SUDOKU_QUEUE_WAIT. A flag wins over \
                        its variable, and SUDOKU_PORT over PORT.\nDurations are written 500ms, 75s or 1h, sizes 64KiB."
)]
pub struct Config {
    /// What to do instead of serving
    #[command(subcommand)]
    pub command: Option<Command>,

    /// IP address to listen on
    #[arg(long, global = true, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_name = "IP")]
    pub host: IpAddr,

    /// Port to listen on; 0 takes a free one
    #[arg(long, global = true, default_value_t = 8080)]
    pub port: u16,

    /// Address with a port of its own for /metrics, which then is served there alone; probes are served on both
    #[arg(long, global = true, value_name = "IP:PORT")]
    pub admin_addr: Option<SocketAddr>,

    /// Searches that run at the same time [default: cores]
    #[arg(long, global = true, value_parser = threads, value_name = "N")]
    pub solver_threads: Option<NonZeroUsize>,

    /// Requests that may wait for a search to end, more are refused with 503 [default: 16 a solver thread, at least 64]
    #[arg(long, global = true, value_name = "N")]
    pub queue_depth: Option<usize>,

    /// How long a request may wait for a search to end before it is refused with 503
    #[arg(long, global = true, default_value = "500ms", value_parser = duration, value_name = "TIME")]
    pub queue_wait: Duration,

    /// Node budget of a request that names none
    #[arg(long, global = true, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=MAX_SAFE_INTEGER), value_name = "N")]
    pub default_nodes: u64,

    /// Greatest node budget that a request may ask for
    #[arg(long, global = true, default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..=MAX_SAFE_INTEGER), value_name = "N")]
    pub max_nodes: u64,

    /// Time limit of one search, from its start
    #[arg(long, global = true, default_value = "5s", value_parser = time_limit, value_name = "TIME")]
    pub solve_timeout: Duration,

    /// Greatest size of a request body
    #[arg(long, global = true, default_value = "64KiB", value_parser = size, value_name = "SIZE")]
    pub max_body: usize,

    /// Connections that may be open at the same time, more wait to be accepted
    #[arg(long, global = true, default_value = "10000", value_name = "N")]
    pub max_connections: NonZeroUsize,

    /// How long a connection may idle, and how long a request's head may take
    #[arg(long, global = true, default_value = "75s", value_parser = time_limit, value_name = "TIME")]
    pub idle_timeout: Duration,

    /// How long a request's body may take
    #[arg(long, global = true, default_value = "10s", value_parser = time_limit, value_name = "TIME")]
    pub body_timeout: Duration,

    /// How long to go on serving after the signal to stop, with /readyz at 503
    #[arg(long, global = true, default_value = "0s", value_parser = duration, value_name = "TIME")]
    pub drain_delay: Duration,

    /// How long requests in flight may take to end after that
    #[arg(long, global = true, default_value = "8s", value_parser = duration, value_name = "TIME")]
    pub shutdown_grace: Duration,

    /// How many of the searches that run at the same time may be those of batches [default: all]
    #[arg(long, global = true, value_parser = threads, value_name = "N")]
    pub batch_threads: Option<NonZeroUsize>,

    /// Batches that may run at the same time, more are refused with 503
    #[arg(long, global = true, default_value = "4", value_parser = clap::value_parser!(u32).range(1..), value_name = "N")]
    pub max_batches: u32,

    /// Answers of one batch that are held for a client that does not read them yet
    #[arg(long, global = true, default_value = "64MiB", value_parser = size, value_name = "SIZE")]
    pub batch_buffer: usize,

    /// How long one batch may take
    #[arg(long, global = true, default_value = "1h", value_parser = time_limit, value_name = "TIME")]
    pub batch_timeout: Duration,

    /// How long a batch may wait for its client to send or to read
    #[arg(long, global = true, default_value = "30s", value_parser = time_limit, value_name = "TIME")]
    pub batch_idle: Duration,

    /// Origins whose scripts may read answers, comma-separated, or * for all of them
    #[arg(long, global = true, default_value = "*", value_parser = cors_origins, value_name = "ORIGINS")]
    pub cors_origins: CorsOrigins,

    /// How log lines are written; auto is text on a terminal and json elsewhere
    #[arg(long, global = true, value_enum, default_value_t = LogFormat::Auto, value_name = "FORMAT")]
    pub log_format: LogFormat,

    /// What is logged, in the syntax of RUST_LOG
    #[arg(long, global = true, default_value = "info", value_name = "FILTER")]
    pub log_level: String,

    /// Leave out the web page, the API reference and problems as HTML
    // An optional value, since the variable always has one.
    #[arg(long, global = true, num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true", action = ArgAction::Set, value_parser = BoolishValueParser::new(), value_name = "BOOL")]
    pub no_web: bool,

    /// What was ignored while reading the configuration, a line each
    #[arg(skip)]
    pub warnings: Vec<String>,
}

/// What to do instead of serving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Ask the service on this machine whether it is ready; exit 0 if it is, 1 if not
    Healthcheck,
}

/// How log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Text on a terminal, JSON elsewhere.
    Auto,
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// The origins whose scripts may read answers in a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CorsOrigins {
    /// All of them.
    Any,
    /// These, each as a browser sends it: `https://sudoku.example`, `http://localhost:3000`.
    Listed(Vec<String>),
}

/// JSON readers that keep numbers as doubles lose integers beyond this.
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Why there is no configuration to run with.
#[derive(Debug)]
pub enum ConfigError {
    /// A flag or variable is wrong: one line that names it. Exit code 64.
    Usage(String),
    /// Help or version was asked for: the text. Exit code 0.
    Display(String),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Usage(text) | ConfigError::Display(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for ConfigError {}

impl Config {
    /// Reads flags (without the program's name) and variables.
    pub fn read(
        flags: impl IntoIterator<Item = String>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Config, ConfigError> {
        let flags: Vec<String> = flags.into_iter().collect();
        let (mut variables, warnings) = variables(variable);
        // What a flag decides is not looked at in the environment, right or wrong.
        variables.retain(|(_, variable)| {
            let name = variable.split('=').next().unwrap_or_default();
            !flags.iter().any(|flag| flag.split('=').next() == Some(name))
        });
        // Alone first, so that a wrong variable is named as such.
        for (name, flag) in &variables {
            if let Err(error) = parse([flag.clone()]) {
                return Err(ConfigError::Usage(format!("{name}: {}", reason(&error))));
            }
        }
        let all = variables.into_iter().map(|(_, flag)| flag).chain(flags);
        let mut config = parse(all).map_err(|error| match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ConfigError::Display(error.to_string()),
            _ => ConfigError::Usage(reason(&error)),
        })?;
        config.warnings = warnings;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), ConfigError> {
        if self.default_nodes > self.max_nodes {
            let (default, max) = (self.default_nodes, self.max_nodes);
            return Err(ConfigError::Usage(format!("--default-nodes {default} is above --max-nodes {max}")));
        }
        let word = self.log_level.chars().all(|character| character.is_ascii_alphabetic());
        if word && self.log_level.parse::<tracing_subscriber::filter::LevelFilter>().is_err() {
            // By its syntax this is the name of a target, and would silence all the rest.
            let levels = "off, error, warn, info, debug or trace";
            return Err(ConfigError::Usage(format!("--log-level {:?}: expected {levels}", self.log_level)));
        }
        tracing_subscriber::EnvFilter::try_new(&self.log_level)
            .map_err(|error| ConfigError::Usage(format!("--log-level {:?}: {error}", self.log_level)))?;
        Ok(())
    }

    /// Searches that run at the same time.
    pub fn permits(&self) -> usize {
        let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.solver_threads.unwrap_or_else(cores).get()
    }

    /// How many of them may be those of batches.
    pub fn batch_permits(&self) -> usize {
        self.batch_threads.map_or(usize::MAX, NonZeroUsize::get).min(self.permits())
    }

    /// Requests that may wait for a permit. A balancer's connections may all have one at the same moment, and on few cores
    /// that alone would fill 16 places a permit before the first search has begun.
    pub fn waiting_places(&self) -> usize {
        self.queue_depth.unwrap_or_else(|| 16usize.saturating_mul(self.permits()).max(64))
    }

    /// Where to listen.
    pub fn addr(&self) -> SocketAddr {
        SocketAddr::new(self.host, self.port)
    }

    /// Where the service on this machine is asked for its health: on its admin address, if it has one.
    pub fn health_addr(&self) -> SocketAddr {
        let addr = self.admin_addr.unwrap_or_else(|| self.addr());
        let ip = match addr.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        SocketAddr::new(ip, addr.port())
    }
}

fn parse(flags: impl IntoIterator<Item = String>) -> Result<Config, clap::Error> {
    let matches = Config::command().try_get_matches_from([String::from("sudoku-server")].into_iter().chain(flags))?;
    Config::from_arg_matches(&matches)
}

/// The variables that are set, each with its name and as a flag, and what was ignored among them.
fn variables(variable: impl Fn(&str) -> Option<String>) -> (Vec<(String, String)>, Vec<String>) {
    let mut found = Vec::new();
    let mut warnings = Vec::new();
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    if let Some(port) = set("PORT") {
        found.push((String::from("PORT"), format!("--port={port}")));
    }
    for arg in Config::command().get_arguments() {
        let Some(flag) = arg.get_long().filter(|flag| !["help", "version"].contains(flag)) else { continue };
        let name = format!("SUDOKU_{}", flag.to_uppercase().replace('-', "_"));
        match set(&name) {
            Some(link) if flag == "port" && link.starts_with("tcp://") => {
                warnings.push(format!("{name}={link} is a Kubernetes service link, not a port: ignored"));
            }
            Some(value) => found.push((name, format!("--{flag}={value}"))),
            None => {}
        }
    }
    // With its own variable set, PORT is not even looked at.
    if found.iter().any(|(name, _)| name == "SUDOKU_PORT") {
        found.retain(|(name, _)| name != "PORT");
    }
    (found, warnings)
}

/// clap's first line, without its prefix: it names the flag and says what is wrong with it.
fn reason(error: &clap::Error) -> String {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    first.strip_prefix("error: ").unwrap_or(first).to_owned()
}

/// Long enough for anything, and short enough for every clock.
const YEAR: Duration = Duration::from_secs(365 * 86_400);

fn duration(text: &str) -> Result<Duration, String> {
    let duration = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if duration <= YEAR { Ok(duration) } else { Err(String::from("at most a year")) }
}

/// A time within which something has to happen.
fn time_limit(text: &str) -> Result<Duration, String> {
    duration(text).and_then(|limit| if limit.is_zero() { Err(String::from("more than nothing")) } else { Ok(limit) })
}

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let threads: usize = text.parse().map_err(|error: std::num::ParseIntError| error.to_string())?;
    NonZeroUsize::new(threads).filter(|threads| threads.get() <= 1024).ok_or_else(|| String::from("expected 1 to 1024"))
}

fn size(text: &str) -> Result<usize, String> {
    let size: ByteSize = text.parse()?;
    usize::try_from(size.as_u64()).map_err(|error| error.to_string())
}

fn cors_origins(text: &str) -> Result<CorsOrigins, String> {
    if text.trim() == "*" {
        return Ok(CorsOrigins::Any);
    }
    text.split(',').map(|entry| origin(entry.trim())).collect::<Result<_, _>>().map(CorsOrigins::Listed)
}

/// An origin in the form in which browsers send it, which is compared byte by byte: a slash at its end would keep it from
/// ever being equal to one.
fn origin(text: &str) -> Result<String, String> {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"+-._~:[]".contains(&byte);
    match text.split_once("://") {
        Some((scheme, host))
            if !scheme.is_empty() && !host.is_empty() && (scheme.bytes().chain(host.bytes())).all(known) =>
        {
            Ok(text.to_ascii_lowercase())
        }
        _ => Err(format!("{text:?} is no origin, such as https://sudoku.example or http://localhost:3000")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(flags: &[&str], variables: &[(&str, &str)]) -> Result<Config, String> {
        let variable = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_string());
        Config::read(flags.iter().map(|flag| flag.to_string()), variable).map_err(|error| error.to_string())
    }

    type Flags = &'static [&'static str];
    type Variables = &'static [(&'static str, &'static str)];

    #[test]
    fn defaults_are_the_documented_ones() {
        let config = read(&[], &[]).unwrap();
        assert_eq!(config.addr().to_string(), "127.0.0.1:8080");
        assert_eq!((config.default_nodes, config.max_nodes), (1_000_000, 10_000_000));
        assert_eq!(config.queue_wait, Duration::from_millis(500));
        assert_eq!(config.solve_timeout, Duration::from_secs(5));
        assert_eq!(config.max_body, 65_536);
        assert_eq!(config.max_connections.get(), 10_000);
        assert_eq!(config.idle_timeout, Duration::from_secs(75));
        assert_eq!(config.body_timeout, Duration::from_secs(10));
        assert_eq!((config.max_batches, config.batch_buffer), (4, 64 << 20));
        assert_eq!((config.batch_timeout, config.batch_idle), (Duration::from_secs(3600), Duration::from_secs(30)));
        assert_eq!(config.batch_permits(), config.permits());
        assert_eq!(config.drain_delay, Duration::ZERO);
        assert_eq!(config.shutdown_grace, Duration::from_secs(8));
        assert_eq!(config.waiting_places(), (16 * config.permits()).max(64));
        assert_eq!((&config.cors_origins, config.admin_addr), (&CorsOrigins::Any, None));
        assert_eq!((config.log_format, config.log_level.as_str()), (LogFormat::Auto, "info"));
    }

    #[test]
    fn a_flag_wins_over_its_variable_and_that_over_port() {
        let cases: [(Flags, Variables, u16); 7] = [
            (&[], &[("PORT", "1")], 1),
            (&[], &[("PORT", "1"), ("SUDOKU_PORT", "2")], 2),
            (&["--port", "3"], &[("PORT", "1"), ("SUDOKU_PORT", "2")], 3),
            (&["healthcheck", "--port=4"], &[("SUDOKU_PORT", "2")], 4),
            (&["healthcheck"], &[("SUDOKU_PORT", "2")], 2),
            (&["--port", "6"], &[("SUDOKU_PORT", "bad"), ("PORT", "bad")], 6),
            (&["--port=5", "healthcheck"], &[("SUDOKU_PORT", "")], 5),
        ];
        for (flags, variables, port) in cases {
            assert_eq!(read(flags, variables).unwrap().port, port, "{flags:?} {variables:?}");
        }
    }

    #[test]
    fn a_switch_is_a_flag_and_a_variable() {
        let cases: [(Flags, Variables, bool); 7] = [
            (&[], &[], false),
            (&["--no-web"], &[], true),
            (&["--no-web", "healthcheck"], &[], true),
            (&["--no-web=false"], &[("SUDOKU_NO_WEB", "true")], false),
            (&[], &[("SUDOKU_NO_WEB", "true")], true),
            (&[], &[("SUDOKU_NO_WEB", "1")], true),
            (&[], &[("SUDOKU_NO_WEB", "false")], false),
        ];
        for (flags, variables, no_web) in cases {
            assert_eq!(read(flags, variables).unwrap().no_web, no_web, "{flags:?} {variables:?}");
        }
        assert!(read(&[], &[("SUDOKU_NO_WEB", "perhaps")]).unwrap_err().starts_with("SUDOKU_NO_WEB"));
    }

    #[test]
    fn a_service_link_is_no_port() {
        let config = read(&[], &[("SUDOKU_PORT", "tcp://10.0.0.1:8080"), ("PORT", "9000")]).unwrap();
        assert_eq!((config.port, config.warnings.len()), (9000, 1));
        assert_eq!(read(&[], &[("SUDOKU_SERVICE_HOST", "10.0.0.1")]).unwrap().warnings.len(), 0);
    }

    #[test]
    fn what_is_wrong_is_named_in_one_line() {
        let cases: [(Flags, Variables, &str); 16] = [
            (&["--nonsense"], &[], "--nonsense"),
            (&["--port", "x"], &[], "--port"),
            (&["--port", "65536"], &[], "--port"),
            (&["--solver-threads=0"], &[], "--solver-threads"),
            (&["--queue-wait", "5"], &[], "--queue-wait"),
            (&["--max-nodes", "9007199254740992"], &[], "--max-nodes"),
            (&["--default-nodes", "5", "--max-nodes", "4"], &[], "--default-nodes"),
            (&["--admin-addr", "9090"], &[], "--admin-addr"),
            (&["--admin-addr", "localhost:9090"], &[], "--admin-addr"),
            (&["--cors-origins", "https://a.example/"], &[], "--cors-origins"),
            (&["--cors-origins", "*,https://a.example"], &[], "--cors-origins"),
            (&["--cors-origins", "https://a.example,"], &[], "--cors-origins"),
            (&[], &[("SUDOKU_CORS_ORIGINS", "a.example")], "SUDOKU_CORS_ORIGINS"),
            (&["--log-level", "sudoku=loud"], &[], "--log-level"),
            (&[], &[("SUDOKU_MAX_BODY", "huge")], "SUDOKU_MAX_BODY"),
            (&[], &[("PORT", "http")], "PORT"),
        ];
        for (flags, variables, named) in cases {
            let message = read(flags, variables).unwrap_err();
            assert!(message.contains(named) && message.lines().count() == 1, "{flags:?} {variables:?}: {message}");
        }
    }

    #[test]
    fn health_is_asked_on_loopback_where_any_address_is_listened_on() {
        for (host, asked) in [("0.0.0.0", "127.0.0.1:8080"), ("::", "[::1]:8080"), ("127.0.0.2", "127.0.0.2:8080")] {
            assert_eq!(read(&["--host", host], &[]).unwrap().health_addr().to_string(), asked);
        }
    }

    #[test]
    fn health_is_asked_on_the_admin_address_where_there_is_one() {
        for (admin, asked) in [("0.0.0.0:9", "127.0.0.1:9"), ("[::]:9", "[::1]:9"), ("127.0.0.2:9", "127.0.0.2:9")] {
            let config = read(&["healthcheck"], &[("SUDOKU_ADMIN_ADDR", admin)]).unwrap();
            assert_eq!(config.health_addr().to_string(), asked);
        }
    }

    #[test]
    fn origins_are_a_list_or_all() {
        let listed = |flag: &str| read(&["--cors-origins", flag], &[]).unwrap().cors_origins;
        assert_eq!(listed("*"), CorsOrigins::Any);
        let two = ["https://a.example", "http://localhost:3000"].map(String::from).into();
        assert_eq!(listed("https://A.example, http://localhost:3000"), CorsOrigins::Listed(two));
    }
}
