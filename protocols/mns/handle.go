package mns

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"

	"github.com/sluicemq/sluice/core"
)

// A receipt handle is {MessageId}-{receipt}{check}. The first part and the hyphen are as recorded in 2026, where the
// rest is base64 that clients send unescaped, '+' and '=' included; ours keeps to characters that no URL changes. The
// check ties the message id to the receipt, so that a handle put together from two is refused like a mistyped one.
const (
	idSize    = 32
	checkSize = 4
)

var handleTable = crc32.MakeTable(crc32.Castagnoli)

// handleOf returns the handle of a message's receipt, or "" for no receipt.
func handleOf(id core.MessageID, r core.Receipt) string {
	if r == "" {
		return ""
	}
	return renewHandle(formatID(id), r)
}

// renewHandle returns the handle of another receipt of the message with that id.
func renewHandle(id string, r core.Receipt) string {
	plain := id + "-" + string(r)
	return plain + checkOf(plain)
}

// receiptOf returns the receipt of a handle. For what is no handle it returns the empty receipt, which the engine
// refuses as one that it never handed out, after it has looked for the queue.
func receiptOf(handle string) core.Receipt {
	plain := len(handle) - checkSize
	if plain <= idSize+1 || handle[idSize] != '-' || checkOf(handle[:plain]) != handle[plain:] {
		return ""
	}
	return core.Receipt(handle[idSize+1 : plain])
}

func checkOf(plain string) string {
	var sum [4]byte
	binary.BigEndian.PutUint32(sum[:], crc32.Checksum([]byte(plain), handleTable))
	return base64.RawURLEncoding.EncodeToString(sum[:3])
}

// formatID writes a message's id as recorded since 2022: 32 upper-case hexadecimal digits.
func formatID(id core.MessageID) string { return upperHex(id[:]) }

// digest is the MessageBodyMD5 of a body.
// Recorded 2026: messages with user properties have another value there, by an algorithm that is not known; no client
// checks it. The recordings without user properties agree with this.
func digest(body string) string {
	sum := core.DigestOf(body)
	return upperHex(sum[:])
}

func upperHex(b []byte) string {
	const digits = "0123456789ABCDEF"
	text := make([]byte, 2*len(b))
	for i, c := range b {
		text[2*i], text[2*i+1] = digits[c>>4], digits[c&15]
	}
	return string(text)
}
