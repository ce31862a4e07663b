package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

func peekCommand() *cobra.Command {
	var limit int
	var state string
	var newest bool
	c := clientCommand("peek QUEUE", "Show messages of a queue without receiving them, hidden ones too", oneArgument("QUEUE"),
		func(ctx context.Context, c *client, args []string) error {
			query := url.Values{"limit": {strconv.Itoa(min(limit, 500))}, "preview": {"200"}}
			if state != "" {
				query.Set("state", state)
			}
			if newest {
				query.Set("order", "newest")
			}
			if c.json {
				query.Set("preview", "65536")
			}
			return c.peek(ctx, args[0], query, limit)
		})
	c.Long = c.Short + ". QUEUE is a name, or account/region/name."
	c.Flags().IntVarP(&limit, "limit", "n", 20, "how many messages to show at the most")
	c.Flags().StringVar(&state, "state", "", "only these: visible, inFlight, delayed, several with commas between them")
	c.Flags().BoolVar(&newest, "newest", false, "show the newest first")
	return c
}

// peek prints a table or, as JSON, a line for each message.
func (c *client) peek(ctx context.Context, queue string, query url.Values, limit int) error {
	ref, err := c.resolve(ctx, queue)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(c.out, 0, 8, 2, ' ', tabwriter.TabIndent)
	if !c.json {
		fmt.Fprintln(w, "MESSAGE\tSTATE\tSENT\tRECEIVES\tBYTES\tBODY")
	}
	for limit > 0 {
		var page struct {
			Messages []json.RawMessage `json:"messages"`
			Next     *string           `json:"next"`
		}
		if _, err := c.get(ctx, ref.path()+"/messages", query, &page); err != nil {
			return err
		}
		for _, whole := range page.Messages[:min(limit, len(page.Messages))] {
			if err := c.printMessage(w, whole); err != nil {
				return err
			}
		}
		limit -= len(page.Messages)
		if page.Next == nil {
			break
		}
		query.Set("after", *page.Next)
	}
	return w.Flush()
}

func (c *client) printMessage(w *tabwriter.Writer, whole json.RawMessage) error {
	if c.json {
		_, err := fmt.Fprintf(c.out, "%s\n", whole)
		return err
	}
	var m messageLine
	if err := json.Unmarshal(whole, &m); err != nil {
		return err
	}
	state := m.State
	if state != "visible" {
		state += " until " + short(m.VisibleAt)
	}
	if m.Group != "" {
		state += ", group " + oneLiner(m.Group, 20)
	}
	_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%s\n", m.ID, state, short(m.SentAt), m.Receives, m.Size, oneLiner(m.Body, 60))
	return err
}
