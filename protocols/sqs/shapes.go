package sqs

import "github.com/sluicemq/sluice/protocols/internal/wire"

// This file holds every structure that goes over the wire, once for both protocols; package wire explains the tags.
// The order of fields is the order of XML elements. A pointer means that a member may be absent.

// onQueue is part of the input of every operation on a queue.
type onQueue struct {
	QueueURL *string `json:"QueueUrl"`
}

type createQueueInput struct {
	QueueName  *string           `json:"QueueName"`
	Attributes wire.Map[*string] `json:"Attributes,cast" query:"Attribute,Name,Value"`
	Tags       wire.Map[*string] `json:"tags" query:"Tag|Tags,Key,Value"`
	// Visibility is the attribute's old name, which old clients still send as a parameter of its own.
	Visibility *string `json:"-" query:"DefaultVisibilityTimeout"`
}

type queueURLOutput struct {
	QueueURL string `json:"QueueUrl"`
}

type getQueueURLInput struct {
	QueueName *string `json:"QueueName"`
	Owner     *string `json:"QueueOwnerAWSAccountId"`
}

type listQueuesInput struct {
	Prefix     *string `json:"QueueNamePrefix"`
	MaxResults *int    `json:"MaxResults"`
	NextToken  *string `json:"NextToken"`
}

type listQueuesOutput struct {
	QueueURLs []string `json:"QueueUrls,plain=queueUrls" query:"QueueUrl"`
	NextToken *string  `json:"NextToken"`
}

type listSourcesInput struct {
	onQueue
	MaxResults *int    `json:"MaxResults"`
	NextToken  *string `json:"NextToken"`
}

type listSourcesOutput struct {
	QueueURLs []string `json:"queueUrls" query:"QueueUrl"` // the one lower-case list of the JSON protocol
	NextToken *string  `json:"NextToken"`
}

type queueInput struct{ onQueue }

type getQueueAttributesInput struct {
	onQueue
	AttributeNames []string `json:"AttributeNames" query:"AttributeName"`
}

type getQueueAttributesOutput struct {
	Attributes wire.Map[string] `json:"Attributes" query:"Attribute,Name,Value"`
}

type setQueueAttributesInput struct {
	onQueue
	Attributes wire.Map[*string] `json:"Attributes,cast" query:"Attribute,Name,Value"`
}

type tagQueueInput struct {
	onQueue
	Tags wire.Map[*string] `json:"Tags" query:"Tag,Key,Value"`
}

type untagQueueInput struct {
	onQueue
	TagKeys []string `json:"TagKeys" query:"TagKey"`
}

type listQueueTagsOutput struct {
	Tags wire.Map[string] `json:"Tags" query:"Tag,Key,Value"`
}

type addPermissionInput struct {
	onQueue
	Label    *string  `json:"Label"`
	Accounts []string `json:"AWSAccountIds" query:"AWSAccountId"`
	Actions  []string `json:"Actions" query:"ActionName"`
}

type removePermissionInput struct {
	onQueue
	Label *string `json:"Label"`
}

// attributeValue is the value of a message attribute, in both directions.
type attributeValue struct {
	StringValue      *string  `json:"StringValue"`
	BinaryValue      []byte   `json:"BinaryValue"` // nil: absent
	StringListValues []string `json:"StringListValues" query:"StringListValue"`
	BinaryListValues [][]byte `json:"BinaryListValues" query:"BinaryListValue"`
	DataType         *string  `json:"DataType"`
}

// sendMessage is what the single and the batch form of sending have in common.
type sendMessage struct {
	MessageBody      *string                  `json:"MessageBody,cast"`
	DelaySeconds     *seconds                 `json:"DelaySeconds"`
	Attributes       wire.Map[attributeValue] `json:"MessageAttributes" query:"MessageAttribute,Name,Value"`
	SystemAttributes wire.Map[attributeValue] `json:"MessageSystemAttributes" query:"MessageSystemAttribute,Name,Value"`
	DeduplicationID  *string                  `json:"MessageDeduplicationId"`
	GroupID          *string                  `json:"MessageGroupId"`
}

type sendMessageInput struct {
	onQueue
	sendMessage
}

// sentMessage is what the single and the batch form of sending answer for a message.
type sentMessage struct {
	MessageID       string  `json:"MessageId"`
	BodyDigest      string  `json:"MD5OfMessageBody"`
	AttributeDigest *string `json:"MD5OfMessageAttributes"`
	SystemDigest    *string `json:"MD5OfMessageSystemAttributes"`
	SequenceNumber  *string `json:"SequenceNumber"`
}

type sendMessageBatchInput struct {
	onQueue
	Entries []sendMessageEntry `json:"Entries" query:"SendMessageBatchRequestEntry"`
}

type sendMessageEntry struct {
	ID *string `json:"Id,cast"`
	sendMessage
}

type sendMessageBatchOutput struct {
	Successful []sentEntry  `json:"Successful" query:"SendMessageBatchResultEntry"`
	Failed     []batchError `json:"Failed" query:"BatchResultErrorEntry"`
}

type sentEntry struct {
	ID string `json:"Id"`
	sentMessage
}

// batchError is an entry of a batch that failed for itself.
type batchError struct {
	ID          string `json:"Id"`
	Code        string `json:"Code"`
	Message     string `json:"Message"`
	SenderFault bool   `json:"SenderFault"`
}

type receiveMessageInput struct {
	onQueue
	AttributeNames       []string `json:"AttributeNames" query:"AttributeName"`
	SystemAttributeNames []string `json:"MessageSystemAttributeNames" query:"MessageSystemAttributeName"`
	MessageAttributes    []string `json:"MessageAttributeNames" query:"MessageAttributeName"`
	MaxNumberOfMessages  *int     `json:"MaxNumberOfMessages"`
	VisibilityTimeout    *seconds `json:"VisibilityTimeout"`
	WaitTimeSeconds      *seconds `json:"WaitTimeSeconds"`
	AttemptID            *string  `json:"ReceiveRequestAttemptId"`
}

type receiveMessageOutput struct {
	Messages []receivedMessage `json:"Messages,plain=messages" query:"Message"`
}

type receivedMessage struct {
	MessageID         string                   `json:"MessageId"`
	ReceiptHandle     string                   `json:"ReceiptHandle"`
	BodyDigest        string                   `json:"MD5OfBody"`
	AttributeDigest   *string                  `json:"MD5OfMessageAttributes"`
	Body              *string                  `json:"Body"` // always there, though another provider may allow an empty one
	Attributes        wire.Map[string]         `json:"Attributes" query:"Attribute,Name,Value"`
	MessageAttributes wire.Map[attributeValue] `json:"MessageAttributes" query:"MessageAttribute,Name,Value"`
}

type deleteMessageInput struct {
	onQueue
	ReceiptHandle *string `json:"ReceiptHandle"`
}

type deleteMessageBatchInput struct {
	onQueue
	Entries []deleteMessageEntry `json:"Entries" query:"DeleteMessageBatchRequestEntry"`
}

type deleteMessageEntry struct {
	ID            *string `json:"Id,cast"`
	ReceiptHandle *string `json:"ReceiptHandle"`
}

type deleteMessageBatchOutput struct {
	Successful []resultEntry `json:"Successful" query:"DeleteMessageBatchResultEntry"`
	Failed     []batchError  `json:"Failed" query:"BatchResultErrorEntry"`
}

// resultEntry is an entry of a batch that succeeded and has nothing else to say.
type resultEntry struct {
	ID string `json:"Id"`
}

type changeVisibilityInput struct {
	onQueue
	ReceiptHandle     *string  `json:"ReceiptHandle"`
	VisibilityTimeout *seconds `json:"VisibilityTimeout"`
}

type changeVisibilityBatchInput struct {
	onQueue
	Entries []changeVisibilityEntry `json:"Entries" query:"ChangeMessageVisibilityBatchRequestEntry"`
}

type changeVisibilityEntry struct {
	ID                *string  `json:"Id,cast"`
	ReceiptHandle     *string  `json:"ReceiptHandle"`
	VisibilityTimeout *seconds `json:"VisibilityTimeout"`
}

type changeVisibilityBatchOutput struct {
	Successful []resultEntry `json:"Successful" query:"ChangeMessageVisibilityBatchResultEntry"`
	Failed     []batchError  `json:"Failed" query:"BatchResultErrorEntry"`
}

type startMoveInput struct {
	SourceARN      *string `json:"SourceArn"`
	DestinationARN *string `json:"DestinationArn"`
	PerSecond      *int    `json:"MaxNumberOfMessagesPerSecond"`
}

type startMoveOutput struct {
	TaskHandle string `json:"TaskHandle"`
}

type cancelMoveInput struct {
	TaskHandle *string `json:"TaskHandle"`
}

type cancelMoveOutput struct {
	Moved int `json:"ApproximateNumberOfMessagesMoved"`
}

type listMovesInput struct {
	SourceARN  *string `json:"SourceArn"`
	MaxResults *int    `json:"MaxResults"`
}

type listMovesOutput struct {
	Results []moveResult `json:"Results" query:"ListMessageMoveTasksResultEntry"`
}

type moveResult struct {
	TaskHandle     *string     `json:"TaskHandle"`
	Status         string      `json:"Status"`
	SourceARN      string      `json:"SourceArn"`
	DestinationARN *string     `json:"DestinationArn"`
	PerSecond      *int        `json:"MaxNumberOfMessagesPerSecond"`
	Moved          int         `json:"ApproximateNumberOfMessagesMoved"`
	ToMove         int         `json:"ApproximateNumberOfMessagesToMove"`
	FailureReason  *string     `json:"FailureReason"`
	Started        epochMillis `json:"StartedTimestamp"`
}
