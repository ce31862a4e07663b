//! One scenario of the shared list: what to call, and what has to come back.

use std::collections::HashMap;

use aws_sdk_sqs::Client;
use serde_json::{Map, Value};

use crate::operations::{Failure, call};

/// The errors of the model. What it has, the SDK must not show as unhandled.
const MODELED: &[&str] = &[
    "BatchEntryIdsNotDistinct",
    "BatchRequestTooLong",
    "EmptyBatchRequest",
    "InvalidAddress",
    "InvalidAttributeName",
    "InvalidAttributeValue",
    "InvalidBatchEntryId",
    "InvalidIdFormat",
    "InvalidMessageContents",
    "InvalidSecurity",
    "MessageNotInflight",
    "OverLimit",
    "PurgeQueueInProgress",
    "QueueDeletedRecently",
    "QueueDoesNotExist",
    "QueueNameExists",
    "ReceiptHandleIsInvalid",
    "RequestThrottled",
    "ResourceNotFoundException",
    "TooManyEntriesInBatchRequest",
    "UnsupportedOperation",
];

type Variables = HashMap<String, String>;

/// Returns what went wrong.
pub async fn run(client: &Client, scenario: &Value, unique: String) -> Result<(), String> {
    let mut variables = Variables::from([
        ("unique".to_owned(), unique),
        ("kilobyte".to_owned(), "a".repeat(1 << 10)),
        ("megabyte".to_owned(), "a".repeat(1 << 20)),
    ]);
    for (i, step) in list(&scenario["steps"]).iter().enumerate() {
        let operation = step["call"].as_str().ok_or("a step has no call")?;
        run_step(client, operation, step, &mut variables)
            .await
            .map_err(|why| format!("step {}, {operation}: {why}", i + 1))?;
    }
    Ok(())
}

async fn run_step(client: &Client, operation: &str, step: &Value, variables: &mut Variables) -> Result<(), String> {
    let with = match &step["with"] {
        Value::Null => Value::Object(Map::new()),
        with => filled(with, variables)?,
    };
    match (call(client, operation, &with).await, &step["fails"]) {
        (Err(Failure::Broken(why)), _) => Err(why),
        (Err(Failure::Refused { error, code, status, message }), Value::Null) => {
            Err(format!("failed with {error}, {code:?}, {status}, {message:?}"))
        }
        (Err(failure), want) => check_failure(failure, &filled(want, variables)?),
        (Ok(answer), Value::Null) => {
            check_answer(&answer, step, variables)?;
            save(&answer, step, variables)
        }
        (Ok(answer), _) => Err(format!("succeeded with {answer}")),
    }
}

fn check_failure(got: Failure, want: &Value) -> Result<(), String> {
    let Failure::Refused { error, code, status, message } = got else { return Ok(()) };
    if let Some(name) = want["error"].as_str() {
        let expected = if MODELED.contains(&name) { name } else { "Unhandled" };
        require(error == expected, || format!("the error is {error}, want {expected}"))?;
    }
    if let Some(want) = want["code"].as_str() {
        require(code.as_deref() == Some(want), || format!("the code is {code:?}, want {want}"))?;
    }
    if let Some(want) = want["status"].as_u64() {
        require(u64::from(status) == want, || format!("the status is {status}, want {want}"))?;
    }
    if let Some(want) = want["message"].as_str() {
        require(message.as_deref() == Some(want), || format!("the message is {message:?}, want {want}"))?;
    }
    Ok(())
}

fn check_answer(answer: &Value, step: &Value, variables: &Variables) -> Result<(), String> {
    for key in ["expect", "same"] {
        for (path, want) in entries(&step[key]) {
            let (got, want) = (find(answer, path), filled(want, variables)?);
            require(got == Some(&want), || format!("{path} is {got:?}, want {want}"))?;
        }
    }
    for (path, want) in entries(&step["differs"]) {
        let (got, want) = (find(answer, path), filled(want, variables)?);
        require(got.is_some() && got != Some(&want), || format!("{path} is {got:?}, want another than {want}"))?;
    }
    for (path, want) in entries(&step["count"]) {
        let got = find(answer, path).map_or(0, size);
        require(Some(got as u64) == want.as_u64(), || format!("{path} has {got} entries, want {want}"))?;
    }
    for path in list(&step["absent"]).iter().filter_map(Value::as_str) {
        let got = find(answer, path);
        require(got.is_none(), || format!("{path} is {got:?}, want nothing"))?;
    }
    Ok(())
}

fn require(holds: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why()) }
}

fn save(answer: &Value, step: &Value, variables: &mut Variables) -> Result<(), String> {
    for (name, path) in entries(&step["save"]) {
        let path = path.as_str().unwrap_or_default();
        let value = match find(answer, path) {
            Some(Value::String(s)) => s.clone(),
            Some(v) => v.to_string(),
            None => return Err(format!("{path} is missing")),
        };
        variables.insert(name.clone(), value);
    }
    Ok(())
}

fn entries(v: &Value) -> impl Iterator<Item = (&String, &Value)> {
    v.as_object().into_iter().flatten()
}

fn list(v: &Value) -> &[Value] {
    v.as_array().map_or(&[], Vec::as_slice)
}

fn size(v: &Value) -> usize {
    match v {
        Value::Array(list) => list.len(),
        Value::Object(map) => map.len(),
        _ => 0,
    }
}

/// Finds a place in an answer: names of members, indices of lists and keys of maps with points between them. A key that
/// has points itself stands in brackets.
fn find<'a>(answer: &'a Value, path: &str) -> Option<&'a Value> {
    path.split(']').flat_map(steps).try_fold(answer, |at, step| match at {
        Value::Array(list) => list.get(step.parse::<usize>().ok()?),
        _ => at.get(step),
    })
}

/// Splits a part of a path, which has a key in brackets at its end or none.
fn steps(part: &str) -> impl Iterator<Item = &str> {
    let (plain, key) = part.split_once('[').map_or((part, None), |(plain, key)| (plain, Some(key)));
    plain.split('.').filter(|s| !s.is_empty()).chain(key)
}

/// Puts the variables into all strings of a value, keys included.
fn filled(v: &Value, variables: &Variables) -> Result<Value, String> {
    Ok(match v {
        Value::String(s) => Value::String(text(s, variables)?),
        Value::Array(list) => list.iter().map(|v| filled(v, variables)).collect::<Result<_, _>>()?,
        Value::Object(map) => {
            map.iter().map(|(k, v)| Ok((text(k, variables)?, filled(v, variables)?))).collect::<Result<_, String>>()?
        }
        _ => v.clone(),
    })
}

fn text(s: &str, variables: &Variables) -> Result<String, String> {
    let mut made = String::new();
    let mut rest = s;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, behind) = after.split_once('}').ok_or_else(|| format!("{s} has a variable without an end"))?;
        made += before;
        made += variables.get(name).ok_or_else(|| format!("nothing was saved as {name}"))?;
        rest = behind;
    }
    Ok(made + rest)
}
