package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/spf13/cobra"
)

func explainCommand() *cobra.Command {
	c := clientCommand("explain MESSAGE-ID", "Tell why a message is, or is not, delivered, and what happened to it", oneArgument("MESSAGE-ID"),
		func(ctx context.Context, c *client, args []string) error { return c.explain(ctx, args[0]) })
	c.Long = c.Short + ". The id is taken as any of the protocols writes it."
	return c
}

// story is what happened to a message.
type story struct {
	Events    []eventLine `json:"events"`
	Forgotten int         `json:"forgotten"`
	TraceIDs  []string    `json:"traceIds"`
	Spans     []struct {
		Name    string    `json:"name"`
		Service string    `json:"service"`
		Start   time.Time `json:"start"`
		End     time.Time `json:"end"`
		Failed  bool      `json:"failed"`
		Message string    `json:"message"`
	} `json:"spans"`
}

// explain prints the reason, and the timeline with the spans of applications between its events.
func (c *client) explain(ctx context.Context, id string) error {
	var why struct {
		Message  string    `json:"message"`
		Queue    *queueRef `json:"queue"`
		Sentence string    `json:"sentence"`
	}
	path := "/api/v1/messages/" + url.PathEscape(id)
	reason, err := c.get(ctx, path+"/why", nil, &why)
	if err != nil {
		return err
	}
	var s story
	timeline, err := c.get(ctx, path+"/timeline", nil, &s)
	if err != nil {
		return err
	}
	if c.json {
		both, err := json.Marshal(map[string]json.RawMessage{"why": reason, "timeline": timeline})
		if err == nil {
			_, err = fmt.Fprintf(c.out, "%s\n", both)
		}
		return err
	}
	where := "in no queue"
	if why.Queue != nil {
		where = "queue " + why.Queue.Name + " of " + why.Queue.Account + "/" + why.Queue.Region
	}
	fmt.Fprintf(c.out, "Message %s, %s\n%s\n", why.Message, where, why.Sentence)
	for _, trace := range s.TraceIDs {
		fmt.Fprintf(c.out, "Trace %s\n", trace)
	}
	return s.print(c)
}

func (s *story) print(c *client) error {
	type line struct {
		at   time.Time
		text string
	}
	var lines []line
	for i := range s.Events {
		lines = append(lines, line{s.Events[i].At, s.Events[i].told()})
	}
	for _, span := range s.Spans {
		text := fmt.Sprintf("%s: span %q, %v", span.Service, span.Name, span.End.Sub(span.Start))
		if span.Failed {
			text += ", failed: " + span.Message
		}
		lines = append(lines, line{span.Start, oneLiner("  "+text, 200)})
	}
	slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })
	if len(lines) > 0 {
		fmt.Fprintln(c.out)
	}
	if s.Forgotten > 0 {
		fmt.Fprintf(c.out, "%d events of before are not remembered.\n", s.Forgotten)
	}
	for _, l := range lines {
		if _, err := fmt.Fprintf(c.out, "%s  %s\n", l.at.UTC().Format("2006-01-02 15:04:05.000"), l.text); err != nil {
			return err
		}
	}
	return nil
}

// told is an event in words.
func (e *eventLine) told() string {
	where, other, until := "", "", ""
	if e.Queue != nil {
		where = e.Queue.Name
	}
	if e.Other != nil {
		other = e.Other.Name
	}
	if e.Until != nil {
		until = short(*e.Until)
	}
	words, ok := map[string]string{
		"sent": "sent to " + where, "received": fmt.Sprintf("received from %s, receive %d, hidden until %s", where, e.Receives, until),
		"visibilitySet": "visibility set in " + where + ", hidden until " + until, "visible": "visible again in " + where,
		"deleted": "deleted from " + where, "deadLettered": "dead-lettered from " + where + " to " + other,
		"moved": "moved from " + where + " to " + other, "deduplicated": "sent again to " + where + ", a duplicate",
		"retentionExpired": "dropped from " + where + ", its retention is over", "purged": "queue " + where + " purged",
		"queueCreated": "queue " + where + " made", "queueDeleted": "queue " + where + " deleted",
	}[e.Kind]
	switch {
	case e.Kind == "sent" && e.Until != nil && e.Until.After(e.At):
		words += ", delayed until " + until
	case e.Topic != nil:
		words = e.Kind + " " + e.Topic.Name
		if e.Subscription != "" {
			words += " for subscription " + e.Subscription
		}
		if e.Error != "" {
			words += ": " + e.Error
		}
	case !ok:
		words = e.Kind + " " + where
	}
	return oneLiner(words, 300)
}
