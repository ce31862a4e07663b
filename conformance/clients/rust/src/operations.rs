//! Calls the operations of the SDK by name, with members that are named as in the official model. The SDK's types
//! cannot be walked at run time, so each member stands here.

use std::fmt::Debug;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::config::http::HttpResponse;
use aws_sdk_sqs::error::{ProvideErrorMetadata, SdkError};
use serde_json::{Value, json};

use crate::shapes::{filled, given, tree};

/// Why a call has no answer.
pub enum Failure {
    /// The SDK has no way to send the request, or the answer did not come from the server.
    Broken(String),
    /// The server's error as the SDK shows it. `error` is the name of the variant, `Unhandled` if the SDK has none.
    Refused { error: String, code: Option<String>, status: u16, message: Option<String> },
}

fn refused<E: ProvideErrorMetadata + Debug>(e: SdkError<E, HttpResponse>) -> Failure {
    let SdkError::ServiceError(e) = e else { return Failure::Broken(format!("{e:?}")) };
    let shown = format!("{:?}", e.err());
    Failure::Refused {
        error: shown.split('(').next().unwrap_or_default().to_owned(),
        code: e.err().code().map(str::to_owned),
        status: e.raw().status().as_u16(),
        message: e.err().message().map(str::to_owned),
    }
}

type Answer = Result<Value, Failure>;

/// Sends a request and makes a tree of the answer; without a rule for that the answer has nothing in it.
macro_rules! send {
    ($builder:expr, $with:expr, $members:tt) => {
        send!($builder, $with, $members, |_answer| json!({}))
    };
    ($builder:expr, $with:expr, $members:tt, |$answer:ident| $tree:expr) => {
        Some(match filled!($builder, $with, $members) {
            Ok(request) => request.send().await.map(|$answer| $tree).map_err(refused),
            Err(why) => Err(Failure::Broken(why)),
        })
    };
}

/// Returns the answer as JSON; what it does not have is left out.
pub async fn call(client: &Client, operation: &str, with: &Value) -> Answer {
    if let Some(answer) = queues(client, operation, with).await {
        return answer;
    }
    if let Some(answer) = questions(client, operation, with).await {
        return answer;
    }
    if let Some(answer) = messages(client, operation, with).await {
        return answer;
    }
    if let Some(answer) = receipts(client, operation, with).await {
        return answer;
    }
    if let Some(answer) = move_tasks(client, operation, with).await {
        return answer;
    }
    Err(Failure::Broken(format!("there is no operation {operation} here")))
}

async fn queues(client: &Client, operation: &str, with: &Value) -> Option<Answer> {
    match operation {
        "CreateQueue" => send!(client.create_queue(), with,
            [QueueName set_queue_name, Attributes set_attributes, tags set_tags],
            |a| tree!(QueueUrl: a.queue_url)),
        "DeleteQueue" => send!(client.delete_queue(), with, [QueueUrl set_queue_url]),
        "PurgeQueue" => send!(client.purge_queue(), with, [QueueUrl set_queue_url]),
        "SetQueueAttributes" => {
            send!(client.set_queue_attributes(), with, [QueueUrl set_queue_url, Attributes set_attributes])
        }
        "TagQueue" => send!(client.tag_queue(), with, [QueueUrl set_queue_url, Tags set_tags]),
        "UntagQueue" => send!(client.untag_queue(), with, [QueueUrl set_queue_url, TagKeys set_tag_keys]),
        "AddPermission" => send!(client.add_permission(), with,
            [QueueUrl set_queue_url, Label set_label, AWSAccountIds set_aws_account_ids, Actions set_actions]),
        "RemovePermission" => send!(client.remove_permission(), with, [QueueUrl set_queue_url, Label set_label]),
        _ => None,
    }
}

async fn questions(client: &Client, operation: &str, with: &Value) -> Option<Answer> {
    match operation {
        "GetQueueUrl" => send!(client.get_queue_url(), with,
            [QueueName set_queue_name, QueueOwnerAWSAccountId set_queue_owner_aws_account_id],
            |a| tree!(QueueUrl: a.queue_url)),
        "GetQueueAttributes" => send!(client.get_queue_attributes(), with,
            [QueueUrl set_queue_url, AttributeNames set_attribute_names],
            |a| tree!(Attributes: a.attributes)),
        "ListQueues" => send!(client.list_queues(), with,
            [QueueNamePrefix set_queue_name_prefix, MaxResults set_max_results, NextToken set_next_token],
            |a| tree!(QueueUrls: a.queue_urls, NextToken: a.next_token)),
        "ListDeadLetterSourceQueues" => send!(client.list_dead_letter_source_queues(), with,
            [QueueUrl set_queue_url, MaxResults set_max_results, NextToken set_next_token],
            |a| tree!(queueUrls: given(a.queue_urls), NextToken: a.next_token)),
        "ListQueueTags" => send!(client.list_queue_tags(), with, [QueueUrl set_queue_url], |a| tree!(Tags: a.tags)),
        _ => None,
    }
}

#[allow(deprecated)] // AttributeNames is what older programs send
async fn messages(client: &Client, operation: &str, with: &Value) -> Option<Answer> {
    match operation {
        "SendMessage" => send!(client.send_message(), with,
            [QueueUrl set_queue_url, MessageBody set_message_body, DelaySeconds set_delay_seconds,
             MessageAttributes set_message_attributes, MessageSystemAttributes set_message_system_attributes,
             MessageDeduplicationId set_message_deduplication_id, MessageGroupId set_message_group_id],
            |a| tree!(MessageId: a.message_id, MD5OfMessageBody: a.md5_of_message_body,
                MD5OfMessageAttributes: a.md5_of_message_attributes,
                MD5OfMessageSystemAttributes: a.md5_of_message_system_attributes, SequenceNumber: a.sequence_number)),
        "SendMessageBatch" => send!(client.send_message_batch(), with, [QueueUrl set_queue_url, Entries set_entries],
            |a| tree!(Successful: given(a.successful), Failed: given(a.failed))),
        "ReceiveMessage" => send!(client.receive_message(), with,
            [QueueUrl set_queue_url, AttributeNames set_attribute_names,
             MessageSystemAttributeNames set_message_system_attribute_names,
             MessageAttributeNames set_message_attribute_names,
             MaxNumberOfMessages set_max_number_of_messages, VisibilityTimeout set_visibility_timeout,
             WaitTimeSeconds set_wait_time_seconds, ReceiveRequestAttemptId set_receive_request_attempt_id],
            |a| tree!(Messages: a.messages)),
        _ => None,
    }
}

async fn receipts(client: &Client, operation: &str, with: &Value) -> Option<Answer> {
    match operation {
        "DeleteMessage" => {
            send!(client.delete_message(), with, [QueueUrl set_queue_url, ReceiptHandle set_receipt_handle])
        }
        "DeleteMessageBatch" => {
            send!(client.delete_message_batch(), with, [QueueUrl set_queue_url, Entries set_entries],
            |a| tree!(Successful: given(a.successful), Failed: given(a.failed)))
        }
        "ChangeMessageVisibility" => send!(client.change_message_visibility(), with,
            [QueueUrl set_queue_url, ReceiptHandle set_receipt_handle, VisibilityTimeout set_visibility_timeout]),
        "ChangeMessageVisibilityBatch" => send!(client.change_message_visibility_batch(), with,
            [QueueUrl set_queue_url, Entries set_entries],
            |a| tree!(Successful: given(a.successful), Failed: given(a.failed))),
        _ => None,
    }
}

async fn move_tasks(client: &Client, operation: &str, with: &Value) -> Option<Answer> {
    match operation {
        "StartMessageMoveTask" => send!(client.start_message_move_task(), with,
            [SourceArn set_source_arn, DestinationArn set_destination_arn,
             MaxNumberOfMessagesPerSecond set_max_number_of_messages_per_second],
            |a| tree!(TaskHandle: a.task_handle)),
        "CancelMessageMoveTask" => send!(client.cancel_message_move_task(), with, [TaskHandle set_task_handle],
            |a| tree!(ApproximateNumberOfMessagesMoved: a.approximate_number_of_messages_moved)),
        "ListMessageMoveTasks" => send!(client.list_message_move_tasks(), with,
            [SourceArn set_source_arn, MaxResults set_max_results],
            |a| tree!(Results: a.results)),
        _ => None,
    }
}
