package core

import "encoding/binary"

// formatVersion is the version of the layout of keys (below) and records (record.go). A store with a newer one is
// refused, so that an old program never misreads it.
const formatVersion = 1

// The layout of the store. Numbers in keys are big-endian, so that the order of keys is the order of numbers.
//
//	f                         format version
//	n                         sequence numbers below this one may have been used
//	q queue                   settings, tags and times of a queue
//	x queue                   a deleted queue whose records are still being removed
//	m queue sequence          a message: written once, removed when it is gone
//	s queue sequence          its state: written when it is first received or hidden
//	d queue deduplication-id  a deduplication id and the message it was first used for
//	a queue attempt-id        a receive attempt and what it returned
//	t queue sequence          a move task, by the sequence number that was the last when it began
//	T topic                   settings and times of a topic
//	X topic                   a deleted topic whose records are still being removed
//	S topic subscription      a subscription, by a sequence number
//	P topic sequence          a publication that some subscription waits for: written once
//	D topic subscription sequence
//	                          a delivery of a publication that is not done; rewritten when an attempt has failed
//	O sequence                a message in the outbox
//	N namespace               the notes of a namespace
//	B namespace name          when a queue was deleted, where a rule asks for it
//	b namespace name          when a topic was deleted, likewise
const (
	formatKey      = 'f'
	sequenceKey    = 'n'
	queuePrefix    = 'q'
	deletedPrefix  = 'x'
	messagePrefix  = 'm'
	statePrefix    = 's'
	dedupPrefix    = 'd'
	attemptPrefix  = 'a'
	movePrefix     = 't'
	queueKeyLength = 1 + 4

	topicPrefix        = 'T'
	deletedTopicPrefix = 'X'
	subscriptionPrefix = 'S'
	publicationPrefix  = 'P'
	deliveryPrefix     = 'D'
	outboxPrefix       = 'O'
	notePrefix         = 'N'
	buriedPrefix       = 'B'
	buriedTopicPrefix  = 'b'
)

// queueKey returns the key of a queue's or topic's own record under prefix, which is also the prefix of what belongs
// to it.
func queueKey(prefix byte, queue uint32) []byte {
	return binary.BigEndian.AppendUint32(append(make([]byte, 0, queueKeyLength), prefix), queue)
}

// messageKey returns the key of something that a queue or topic has by number, such as a message.
func messageKey(prefix byte, queue uint32, sequence uint64) []byte {
	k := binary.BigEndian.AppendUint32(append(make([]byte, 0, queueKeyLength+8), prefix), queue)
	return binary.BigEndian.AppendUint64(k, sequence)
}

// namedKey returns the key of a deduplication id or receive attempt.
func namedKey(prefix byte, queue uint32, name string) []byte {
	k := binary.BigEndian.AppendUint32(append(make([]byte, 0, queueKeyLength+len(name)), prefix), queue)
	return append(k, name...)
}

// deliveryKey returns the key of a delivery. Without the sequence number it is the prefix of a subscription's.
func deliveryKey(topic uint32, subscription, sequence uint64) []byte {
	return binary.BigEndian.AppendUint64(messageKey(deliveryPrefix, topic, subscription), sequence)
}

// outboxKey returns the key of a message in the outbox.
func outboxKey(sequence uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{outboxPrefix}, sequence)
}

// noteKey returns the key of a namespace's notes. Neither account nor region can hold a zero byte.
func noteKey(ns Namespace) []byte {
	return []byte(string(rune(notePrefix)) + ns.Account + "\x00" + ns.Region)
}

// buriedKey returns the key of when a queue or topic was deleted. None of its parts can hold a zero byte.
func buriedKey(prefix byte, k QueueKey) []byte {
	return []byte(string(rune(prefix)) + k.Namespace.Account + "\x00" + k.Namespace.Region + "\x00" + string(k.Name))
}

// queueOf returns the queue, or topic, of a key that has one.
func queueOf(key []byte) uint32 { return binary.BigEndian.Uint32(key[1:]) }

// sequenceOf returns the sequence number in a message's or state's key.
func sequenceOf(key []byte) uint64 { return binary.BigEndian.Uint64(key[queueKeyLength:]) }

// deliveryOf returns the subscription and the sequence number in a delivery's key.
func deliveryOf(key []byte) (subscription, sequence uint64) {
	return sequenceOf(key), binary.BigEndian.Uint64(key[queueKeyLength+8:])
}

// outboxOf returns the sequence number in the key of a message in the outbox.
func outboxOf(key []byte) uint64 { return binary.BigEndian.Uint64(key[1:]) }

// nameOf returns the deduplication or attempt id in a key.
func nameOf(key []byte) string { return string(key[queueKeyLength:]) }
