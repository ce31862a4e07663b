package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
)

func queuesCommand() *cobra.Command {
	c := clientCommand("queues [PREFIX]", "List the queues of a running server", cobra.MaximumNArgs(1),
		func(ctx context.Context, c *client, args []string) error {
			prefix := ""
			if len(args) > 0 {
				prefix = args[0]
			}
			return c.listQueues(ctx, prefix)
		})
	c.Long = c.Short + ": how many messages are visible, in flight and delayed, how old the oldest is, and how many receivers wait."
	return c
}

// queues gives each queue with a prefix to fn, in the order of account, region and name.
func (c *client) queues(ctx context.Context, prefix string, fn func(q *queueLine, whole json.RawMessage) error) error {
	query := url.Values{"prefix": {prefix}, "limit": {"1000"}}
	for {
		var page struct {
			Queues []json.RawMessage `json:"queues"`
			Next   *string           `json:"next"`
		}
		if _, err := c.get(ctx, "/api/v1/queues", query, &page); err != nil {
			return err
		}
		for _, whole := range page.Queues {
			var q queueLine
			if err := json.Unmarshal(whole, &q); err != nil {
				return err
			}
			if err := fn(&q, whole); err != nil {
				return err
			}
		}
		if page.Next == nil {
			return nil
		}
		query.Set("after", *page.Next)
	}
}

// listQueues prints a table or, as JSON, a line for each queue.
func (c *client) listQueues(ctx context.Context, prefix string) error {
	w := tabwriter.NewWriter(c.out, 0, 8, 2, ' ', tabwriter.TabIndent)
	if !c.json {
		fmt.Fprintln(w, "QUEUE\tVISIBLE\tIN FLIGHT\tDELAYED\tOLDEST\tWAITING\tDEAD-LETTER\tNAMESPACE")
	}
	err := c.queues(ctx, prefix, func(q *queueLine, whole json.RawMessage) error {
		if c.json {
			_, err := fmt.Fprintf(c.out, "%s\n", whole)
			return err
		}
		oldest, dead := "-", "-"
		if q.OldestAgeSeconds != nil {
			oldest = age(*q.OldestAgeSeconds)
		}
		if d := q.Settings.DeadLetter; d != nil {
			dead = fmt.Sprintf("%s after %d", d.Name, d.MaxReceives)
		}
		_, err := fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\t%d\t%s\t%s/%s\n", q.Name, q.Counts.Visible, q.Counts.InFlight, q.Counts.Delayed,
			oldest, q.WaitingReceivers, dead, q.Account, q.Region)
		return err
	})
	if err != nil {
		return err
	}
	return w.Flush()
}

// age is a duration with no more digits than tell something.
func age(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	case d < 48*time.Hour:
		return d.Round(time.Second).String()
	}
	return fmt.Sprintf("%.0fd", d.Hours()/24)
}
