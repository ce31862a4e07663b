// Package traced measures a store from the outside: how long its commits take and how large they are. It changes
// nothing that goes through it.
package traced

import (
	"context"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/traced/names"
)

// Store returns a decorator of stores that records to the meters of a provider, once awake is true or if it is nil. It
// reads the time from now. Returns the error of the provider.
func Store(meters metric.MeterProvider, now func() time.Time, awake *atomic.Bool) (func(persistence.Store) persistence.Store, error) {
	in := &names.Instruments{Meter: meters.Meter(names.Scope)}
	m := measured{now: now, awake: awake, duration: in.CommitDuration(), size: in.CommitSize()}
	m.failed = metric.WithAttributeSet(failure)
	return func(s persistence.Store) persistence.Store {
		of := m
		of.Store = s
		return &of
	}, in.Err
}

var failure = attribute.NewSet(names.ErrorTypeOther)

type measured struct {
	persistence.Store
	now      func() time.Time
	awake    *atomic.Bool
	duration metric.Float64Histogram
	size     metric.Int64Histogram
	failed   metric.MeasurementOption
}

// Commit is the store's.
func (m *measured) Commit(b *persistence.Batch) error {
	if m.awake != nil && !m.awake.Load() {
		return m.Store.Commit(b)
	}
	size, began := int64(b.Size), m.now()
	err := m.Store.Commit(b)
	took := m.now().Sub(began).Seconds()
	ctx := context.Background() // a commit is of many requests at once
	if err != nil {
		m.duration.Record(ctx, took, m.failed)
		return err
	}
	m.duration.Record(ctx, took)
	m.size.Record(ctx, size)
	return nil
}
