//! Runs the shared list of scenarios with the AWS SDK for Rust, which speaks JSON, against the server that SLUICE_URL
//! names. The argument is the list's file.

mod operations;
mod scenario;
mod shapes;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs};

use aws_sdk_sqs::Client;
use aws_sdk_sqs::config::retry::RetryConfig;
use aws_sdk_sqs::config::{Config, Region};
use serde_json::Value;
use tokio::sync::Semaphore;

const PROTOCOL: &str = "json";
const AT_ONCE: usize = 16;

/// Scenarios that this SDK cannot send, each with the reason.
const LEFT_OUT: &[(&str, &str)] = &[];

type Outcome = Result<(), String>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match all().await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Reports whether each scenario has passed or is left out for a reason.
async fn all() -> Result<bool, String> {
    let path = env::args().nth(1).ok_or("want the file of the scenarios as the argument")?;
    let content = fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?;
    let file: Value = serde_json::from_str(&content).map_err(|e| format!("{path}: {e}"))?;
    let scenarios = file["scenarios"].as_array().ok_or_else(|| format!("{path} has no scenarios"))?;
    let known = |name: &str| scenarios.iter().any(|s| s["name"] == name);
    if let Some((name, _)) = LEFT_OUT.iter().find(|(name, _)| !known(name)) {
        return Err(format!("{name} is left out and does not exist"));
    }
    let (mut passed, mut failed, mut left_out) = (0, 0, 0);
    for (scenario, running) in start(scenarios)? {
        let name = scenario["name"].as_str().unwrap_or_default();
        let Some(running) = running else {
            left_out += 1;
            println!("left out {name}: {}", why_not(scenario).unwrap_or_default());
            continue;
        };
        match running.await.map_err(|e| e.to_string())? {
            Ok(()) => {
                passed += 1;
                println!("ok {name}");
            }
            Err(why) => {
                failed += 1;
                println!("FAILED {name}: {why}");
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    Ok(passed > 0 && passed + left_out == scenarios.len())
}

type Started<'a> = Vec<(&'a Value, Option<tokio::task::JoinHandle<Outcome>>)>;

fn start(scenarios: &[Value]) -> Result<Started<'_>, String> {
    let client = client()?;
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|e| e.to_string())?.as_nanos();
    let begin = |(i, s): (usize, &Value)| {
        let (client, places, s, unique) = (client.clone(), places.clone(), s.clone(), format!("{now:x}-{i}"));
        tokio::spawn(async move {
            let _place = places.acquire().await.map_err(|e| e.to_string())?;
            scenario::run(&client, &s, unique).await
        })
    };
    Ok(scenarios.iter().enumerate().map(|(i, s)| (s, why_not(s).is_none().then(|| begin((i, s))))).collect())
}

fn why_not(scenario: &Value) -> Option<String> {
    if scenario["protocols"].as_array().is_some_and(|p| !p.iter().any(|p| p == PROTOCOL)) {
        return Some(format!("the SDK has no other protocol than {PROTOCOL}"));
    }
    LEFT_OUT.iter().find(|(name, _)| scenario["name"] == *name).map(|(_, why)| (*why).to_owned())
}

/// A client that never tries again: an error that a second try would hide is an error.
fn client() -> Result<Client, String> {
    let url = env::var("SLUICE_URL").map_err(|_| "SLUICE_URL is not set: want the address of a running server")?;
    let config = Config::builder()
        .endpoint_url(url)
        .region(Region::new("us-east-1"))
        .credentials_provider(aws_credential_types::Credentials::new("any", "any", None, None, "test"))
        .retry_config(RetryConfig::disabled())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .build();
    Ok(Client::from_conf(config))
}
