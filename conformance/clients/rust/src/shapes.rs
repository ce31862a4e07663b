//! The SDK's shapes from and to JSON, with the names of the official model.

use std::collections::HashMap;
use std::hash::Hash;

use aws_sdk_sqs::primitives::Blob;
use aws_sdk_sqs::types::*;
use serde_json::{Map, Value, json};

/// Sets the members that are given and refuses those that the SDK does not have.
macro_rules! filled {
    ($builder:expr, $with:expr, [$($name:ident $set:ident),*]) => {{
        let fill = || {
            let mut left = $crate::shapes::members($with)?.clone();
            let mut builder = $builder;
            $(if let Some(v) = left.remove(stringify!($name)) {
                builder = builder.$set(Some($crate::shapes::Read::read(&v)?));
            })*
            match left.keys().next() {
                Some(name) => Err(format!("the SDK has no member {name}")),
                None => Ok(builder),
            }
        };
        fill()
    }};
}

/// An object of the members that are there.
macro_rules! tree {
    ($($name:ident: $value:expr),*) => {{
        let mut made = serde_json::Map::new();
        $(match $crate::shapes::Show::show(&$value) {
            serde_json::Value::Null => {}
            v => { made.insert(stringify!($name).to_owned(), v); }
        })*
        serde_json::Value::Object(made)
    }};
}

pub(crate) use {filled, tree};

pub fn members(v: &Value) -> Result<&Map<String, Value>, String> {
    v.as_object().ok_or_else(|| format!("the SDK takes no {v} for a structure"))
}

/// What the SDK can send.
pub trait Read: Sized {
    fn read(v: &Value) -> Result<Self, String>;
}

impl Read for String {
    fn read(v: &Value) -> Result<Self, String> {
        v.as_str().map(str::to_owned).ok_or_else(|| format!("the SDK takes no {v} for a string"))
    }
}

impl Read for i32 {
    fn read(v: &Value) -> Result<Self, String> {
        v.as_i64().and_then(|n| n.try_into().ok()).ok_or_else(|| format!("the SDK takes no {v} for an integer"))
    }
}

impl Read for Blob {
    fn read(v: &Value) -> Result<Self, String> {
        let text = String::read(&v["$base64"])?;
        aws_smithy_types::base64::decode(text).map(Blob::new).map_err(|e| e.to_string())
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(v: &Value) -> Result<Self, String> {
        v.as_array().ok_or_else(|| format!("the SDK takes no {v} for a list"))?.iter().map(T::read).collect()
    }
}

impl<K: for<'a> From<&'a str> + Eq + Hash, V: Read> Read for HashMap<K, V> {
    fn read(v: &Value) -> Result<Self, String> {
        members(v)?.iter().map(|(k, v)| Ok((k.as_str().into(), V::read(v)?))).collect()
    }
}

/// Enumerations take any text: the SDK passes on values that it has no name for.
macro_rules! read_name {
    ($($type:ty),*) => {$(impl Read for $type {
        fn read(v: &Value) -> Result<Self, String> {
            Ok(String::read(v)?.as_str().into())
        }
    })*};
}

read_name!(QueueAttributeName, MessageSystemAttributeName);

macro_rules! read_shape {
    ($type:ident $members:tt) => {
        impl Read for $type {
            fn read(v: &Value) -> Result<Self, String> {
                filled!($type::builder(), v, $members)?.build().map_err(|e| e.to_string())
            }
        }
    };
}

read_shape!(MessageAttributeValue [DataType set_data_type, StringValue set_string_value, BinaryValue set_binary_value,
    StringListValues set_string_list_values, BinaryListValues set_binary_list_values]);
read_shape!(MessageSystemAttributeValue [DataType set_data_type, StringValue set_string_value,
    BinaryValue set_binary_value, StringListValues set_string_list_values, BinaryListValues set_binary_list_values]);
read_shape!(SendMessageBatchRequestEntry [Id set_id, MessageBody set_message_body, DelaySeconds set_delay_seconds,
    MessageAttributes set_message_attributes, MessageSystemAttributes set_message_system_attributes,
    MessageDeduplicationId set_message_deduplication_id, MessageGroupId set_message_group_id]);
read_shape!(DeleteMessageBatchRequestEntry [Id set_id, ReceiptHandle set_receipt_handle]);
read_shape!(ChangeMessageVisibilityBatchRequestEntry [Id set_id, ReceiptHandle set_receipt_handle,
    VisibilityTimeout set_visibility_timeout]);

/// What the SDK can receive. Null stands for what is not there.
pub trait Show {
    fn show(&self) -> Value;
}

impl<T: Show> Show for Option<T> {
    fn show(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::show)
    }
}

macro_rules! show_plain {
    ($($type:ty),*) => {$(impl Show for $type {
        fn show(&self) -> Value {
            json!(self)
        }
    })*};
}

show_plain!(String, i32, i64, bool);

impl Show for Blob {
    fn show(&self) -> Value {
        json!({"$base64": aws_smithy_types::base64::encode(self)})
    }
}

impl<T: Show> Show for Vec<T> {
    fn show(&self) -> Value {
        self.iter().map(T::show).collect()
    }
}

impl<K: AsRef<str>, V: Show> Show for HashMap<K, V> {
    fn show(&self) -> Value {
        self.iter().map(|(k, v)| (k.as_ref(), v.show())).collect()
    }
}

macro_rules! show_shape {
    ($type:ident [$($name:ident $field:ident),*]) => {
        impl Show for $type {
            fn show(&self) -> Value {
                tree!($($name: self.$field),*)
            }
        }
    };
}

show_shape!(Message [MessageId message_id, ReceiptHandle receipt_handle, MD5OfBody md5_of_body, Body body,
    Attributes attributes, MD5OfMessageAttributes md5_of_message_attributes, MessageAttributes message_attributes]);
show_shape!(MessageAttributeValue [DataType data_type, StringValue string_value, BinaryValue binary_value,
    StringListValues string_list_values, BinaryListValues binary_list_values]);
show_shape!(SendMessageBatchResultEntry [Id id, MessageId message_id, MD5OfMessageBody md5_of_message_body,
    MD5OfMessageAttributes md5_of_message_attributes, MD5OfMessageSystemAttributes md5_of_message_system_attributes,
    SequenceNumber sequence_number]);
show_shape!(DeleteMessageBatchResultEntry [Id id]);
show_shape!(ChangeMessageVisibilityBatchResultEntry [Id id]);
show_shape!(BatchResultErrorEntry [Id id, SenderFault sender_fault, Code code, Message message]);
show_shape!(ListMessageMoveTasksResultEntry [TaskHandle task_handle, Status status, SourceArn source_arn,
    DestinationArn destination_arn, MaxNumberOfMessagesPerSecond max_number_of_messages_per_second,
    ApproximateNumberOfMessagesMoved approximate_number_of_messages_moved,
    ApproximateNumberOfMessagesToMove approximate_number_of_messages_to_move, FailureReason failure_reason,
    StartedTimestamp started_timestamp]);

/// A list that the model requires: the SDK makes an empty one of none.
pub fn given<T>(list: Vec<T>) -> Option<Vec<T>> {
    if list.is_empty() { None } else { Some(list) }
}
