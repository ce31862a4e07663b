package sqs

import (
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"io"
	"sync"

	"github.com/sluicemq/sluice/core"
)

// attributesDigest returns the MD5 that clients compute over attributes as well, nil when there are none. They must
// be in the order of their names. Of each attribute it covers, with the length of each text in front: the name, the
// data type with its label, one byte for text or binary, and the value.
func attributesDigest(attributes []core.Attribute) *string {
	if len(attributes) == 0 {
		return nil
	}
	d := digesters.Get().(*digester)
	defer digesters.Put(d)
	d.Reset()
	for i := range attributes {
		a := &attributes[i]
		d.text(a.Name)
		d.text(dataType(a))
		d.scratch = append(d.scratch[:0], 1)
		if a.Kind == core.Binary {
			d.scratch[0] = 2
		}
		d.scratch = binary.BigEndian.AppendUint32(d.scratch, uint32(len(a.Value)))
		_, _ = d.Write(d.scratch)
		_, _ = d.Write(a.Value)
	}
	d.scratch = d.Sum(d.scratch[:0])
	sum := hex.EncodeToString(d.scratch)
	return &sum
}

// digester is a hash that is used again and again.
type digester struct {
	hash.Hash
	scratch []byte
}

var digesters = sync.Pool{New: func() any { return &digester{Hash: md5.New()} }}

func (d *digester) text(s string) {
	d.scratch = binary.BigEndian.AppendUint32(d.scratch[:0], uint32(len(s)))
	_, _ = d.Write(d.scratch)
	_, _ = io.WriteString(d.Hash, s)
}
