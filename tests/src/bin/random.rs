//! Random SQL beside PostgreSQL, by hand: `cargo run -p multiloop-tests --bin random -- --minutes 60`.
//!
//! `--seed N` begins with this seed (else with one that nobody had), `--seeds N` tries so many, `--statements N` of each;
//! `--findings N` are enough; `--small` and `--large` take tables of one size. PostgreSQL is where MULTILOOP_POSTGRES says
//! (`. tests/postgres.sh` starts one); without it the ways to run a statement are compared with each other alone.

use multiloop_tests::random::{Hunt, Size, hunt, serve};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

fn options(arguments: &[String]) -> Result<Hunt, String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let postgres = std::env::var("MULTILOOP_POSTGRES").ok();
    let mut hunt = Hunt {
        seed: now,
        seeds: u64::MAX / 2,
        until: None,
        postgres,
        findings_max: 20,
        size: None,
        statements: 100,
        verbose: true,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut number = || -> Result<u64, String> {
            let number = rest.next().and_then(|number| number.parse().ok());
            number.ok_or_else(|| format!("{argument} needs a number"))
        };
        match argument.as_str() {
            "--minutes" => hunt.until = Some(Instant::now() + Duration::from_secs(60 * number()?)),
            "--seed" => hunt.seed = number()?,
            "--seeds" => hunt.seeds = number()?,
            "--statements" => hunt.statements = number()?,
            "--findings" => hunt.findings_max = number()? as usize,
            "--small" => hunt.size = Some(Size::Small),
            "--large" => hunt.size = Some(Size::Large),
            other => {
                return Err(format!(
                    "what is {other}? (--minutes, --seed, --seeds, --statements, --findings N; --small, --large)"
                ));
            }
        }
    }
    Ok(hunt)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [worker, threads] = arguments.as_slice()
        && worker == "--worker"
    {
        let served = serve(threads.parse().unwrap_or(1));
        return if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let found = options(&arguments).and_then(|options| {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        hunt(&program, &options).map_err(|error| error.to_string())
    });
    match found {
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
        Ok(report) => {
            eprintln!(
                "{} statements: {} agree, {} are not supported, {} took PostgreSQL too long, {} findings",
                report.statements,
                report.agree,
                report.unsupported,
                report.late,
                report.findings.len()
            );
            for (class, count) in &report.classes {
                eprintln!("{count:6} {class}");
            }
            if report.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
    }
}
