package core

import "encoding/hex"

// Namespace is whose queues, and where: a name is unique within its namespace. Providers that are bridged share one.
type Namespace struct {
	Account string
	Region  string
}

// QueueName is the name of a queue, without its namespace. Names are case-sensitive.
type QueueName string

// QueueKey identifies a queue for its users. A queue that is deleted and made again has the same key, yet is another.
type QueueKey struct {
	Namespace Namespace
	Name      QueueName
}

// TopicName is the name of a topic, without its namespace. Names are case-sensitive; a topic and a queue may share one.
type TopicName string

// TopicKey identifies a topic for its users.
type TopicKey struct {
	Namespace Namespace
	Name      TopicName
}

// SubscriptionName is the name of a subscription, unique within its topic. Names are case-sensitive.
type SubscriptionName string

// MessageID identifies a message for its whole life, also across dead-letter queues. It is a version 4 UUID.
type MessageID [16]byte

// String returns the id as 32 lower-case hexadecimal digits.
func (id MessageID) String() string { return hex.EncodeToString(id[:]) }

// Receipt is what a receive hands out and what deletes and visibility changes refer to. It is opaque: it consists of
// letters, digits, '-' and '_' only, and a string that the engine never handed out is told from one that it did.
type Receipt string
