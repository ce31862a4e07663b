package sqs

import (
	"fmt"
	"maps"
	"slices"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/internal/wire"
)

// declarable are the attributes that Patch reads: those for which a declaration has no word of its own.
var declarable = []string{
	notePolicy, noteRedriveAllow, noteKey, noteReuse, noteManaged, "DeduplicationScope", "FifoThroughputLimit",
}

// Patch reads attributes of a queue that is declared rather than made by a request: those of access, encryption and of
// FIFO queues, in the provider's own words and by its rules. Current is what the queue has, or nil for a new one. Returns
// an error that says which attribute is wrong.
func Patch(site *protocols.Site, fifo bool, current *core.Settings, attributes map[string]string) (core.Patch, error) {
	d := draft{service: &service{site: site}, from: &caller{namespace: site.SQS.Namespace()}, fifo: fifo, creating: current == nil}
	if current != nil {
		d.current = *current
	}
	var given attributeMap
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if !slices.Contains(declarable, name) {
			return core.Patch{}, fmt.Errorf("%q is not one of the attributes %v", name, declarable)
		}
		value := attributes[name]
		given = append(given, wire.Entry[*string]{Key: name, Value: &value})
	}
	err := d.apply(given)
	return d.patch, err
}
