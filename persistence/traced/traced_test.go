package traced_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/persistence/persistencetest"
	"github.com/sluicemq/sluice/persistence/traced"
)

// around returns the decorator with a clock that goes on by a second at each look.
func around(t *testing.T, reader sdkmetric.Reader, awake *atomic.Bool) func(persistence.Store) persistence.Store {
	t.Helper()
	now := time.Unix(0, 0)
	decorate, err := traced.Store(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)), func() time.Time {
		now = now.Add(time.Second)
		return now
	}, awake)
	if err != nil {
		t.Fatal(err)
	}
	return decorate
}

func TestCommitsAreMeasured(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	s := around(t, reader, nil)(memory.New())
	b := &persistence.Batch{}
	b.Put([]byte("key"), []byte("value"))
	if err := s.Commit(b); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get([]byte("key")); err != nil || string(got) != "value" {
		t.Errorf("Get = %q, %v, want what was committed", got, err)
	}
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	duration := all.ScopeMetrics[0].Metrics[0].Data.(metricdata.Histogram[float64]).DataPoints[0]
	size := all.ScopeMetrics[0].Metrics[1].Data.(metricdata.Histogram[int64]).DataPoints[0]
	if duration.Count != 1 || duration.Sum != 1 || size.Count != 1 || size.Sum != 8 {
		t.Errorf("commits = %d of %v s and %d bytes, want one of 1 s and 8 bytes", duration.Count, duration.Sum, size.Sum)
	}
}

type failing struct{ persistence.Store }

func (failing) Commit(*persistence.Batch) error { return persistence.ErrFull }

func TestFailedCommitsAreMeasuredApart(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	s := around(t, reader, nil)(failing{memory.New()})
	if err := s.Commit(&persistence.Batch{}); !errors.Is(err, persistence.ErrFull) {
		t.Errorf("Commit = %v, want the store's error", err)
	}
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	point := all.ScopeMetrics[0].Metrics[0].Data.(metricdata.Histogram[float64]).DataPoints[0]
	if v, ok := point.Attributes.Value("error.type"); !ok || v.AsString() != "_OTHER" {
		t.Errorf("attributes of a failed commit = %v, want an error.type", point.Attributes)
	}
}

func TestDecoratedStoreKeepsTheContract(t *testing.T) {
	decorate := around(t, sdkmetric.NewManualReader(), nil)
	persistencetest.Run(t,
		func(*testing.T) persistence.Store { return decorate(memory.New()) },
		func(t *testing.T, s persistence.Store) persistence.Store {
			if err := s.Close(); err != nil {
				t.Fatalf("Close() = %v, want nil", err)
			}
			return s
		})
}
