package bench

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// commitCount is how the metrics of a control API name the number of commits to the store.
const commitCount = "sluice_store_commit_duration_seconds_count"

// commitsOf asks a control API for the number of commits.
func commitsOf(ctx context.Context, admin string) (float64, error) {
	host, err := hostOf(admin)
	if err != nil {
		return 0, err
	}
	conn, err := dial(ctx, host)
	if err != nil {
		return 0, err
	}
	defer conn.close()
	status, text, err := conn.exchange(ctx, whole(head("GET", "/metrics", host), ""))
	if err == nil && status != 200 {
		err = fmt.Errorf("metrics have status %d: %.300q", status, text)
	}
	if err != nil {
		return 0, err
	}
	return sum(string(text), commitCount)
}

// sum adds up the samples of a metric, 0 without any, in the text form of Prometheus.
func sum(text, metric string) (total float64, err error) {
	for line := range strings.Lines(text) {
		rest, found := strings.CutPrefix(line, metric)
		if !found || !strings.HasPrefix(rest, "{") && !strings.HasPrefix(rest, " ") {
			continue
		}
		fields := strings.Fields(rest[strings.LastIndexByte(rest, '}')+1:])
		if len(fields) == 0 {
			return 0, fmt.Errorf("metrics have the line %.100q", line)
		}
		v, err := strconv.ParseFloat(fields[0], 64)
		if err != nil {
			return 0, fmt.Errorf("metrics have the line %.100q", line)
		}
		total += v
	}
	return total, nil
}
