package core

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
)

// A receipt is queue, sequence number and delivery of a message, and a checksum, in URL-safe base64. The checksum is
// no secret: it tells handles that were never handed out from those that were, and mistyped ones, not forged ones. It
// covers the salt of the queue too, a random number made with it: ids and numbers begin anew where nothing was kept,
// and a receipt from before must not fit a message of now.
const receiptLength = 4 + 8 + 4 + 4

var receiptTable = crc32.MakeTable(crc32.Castagnoli)

func mintReceipt(queue, salt uint32, sequence uint64, delivery uint32) Receipt {
	var b [receiptLength]byte
	binary.BigEndian.PutUint32(b[0:], queue)
	binary.BigEndian.PutUint64(b[4:], sequence)
	binary.BigEndian.PutUint32(b[12:], delivery)
	binary.BigEndian.PutUint32(b[16:], crc32.Update(salt, receiptTable, b[:16]))
	return Receipt(base64.RawURLEncoding.EncodeToString(b[:]))
}

// readReceipt is the inverse of mintReceipt; ok is false for what this queue never handed out.
func readReceipt(queue, salt uint32, r Receipt) (sequence uint64, delivery uint32, ok bool) {
	var b [receiptLength + 1]byte
	if base64.RawURLEncoding.DecodedLen(len(r)) != receiptLength {
		return 0, 0, false
	}
	if _, err := base64.RawURLEncoding.Strict().Decode(b[:], []byte(r)); err != nil {
		return 0, 0, false
	}
	if binary.BigEndian.Uint32(b[16:]) != crc32.Update(salt, receiptTable, b[:16]) || binary.BigEndian.Uint32(b[0:]) != queue {
		return 0, 0, false
	}
	return binary.BigEndian.Uint64(b[4:]), binary.BigEndian.Uint32(b[12:]), true
}
