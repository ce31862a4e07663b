package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

func tailCommand() *cobra.Command {
	var queue, message string
	var recent int
	c := clientCommand("tail", "Print what happens to messages, as it happens", cobra.NoArgs,
		func(ctx context.Context, c *client, _ []string) error {
			query := url.Values{"recent": {strconv.Itoa(recent)}}
			if message != "" {
				query.Set("message", message)
			}
			if queue != "" {
				ref, err := c.resolve(ctx, queue)
				if err != nil {
					return err
				}
				query.Set("queue", ref.String())
			}
			return c.tail(ctx, query)
		})
	c.Flags().StringVar(&queue, "queue", "", "only of this queue: a name, or account/region/name")
	c.Flags().StringVar(&message, "message", "", "only of this message")
	c.Flags().IntVarP(&recent, "recent", "n", 10, "how many past events to begin with")
	return c
}

// tail follows the stream of events until ctx ends. One that was too slow for it comes back.
func (c *client) tail(ctx context.Context, query url.Values) error {
	last := ""
	for {
		r, err := c.request(ctx, "/api/v1/events", query)
		if err != nil {
			return err
		}
		if last != "" {
			r.Header.Set("Last-Event-ID", last)
		}
		resp, err := c.do(r)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if err != nil {
			return nil
		}
		again, err := c.follow(resp.Body, &last)
		_ = resp.Body.Close()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case !again:
			return errors.New("the server has ended the stream")
		}
	}
}

// maxEventLine bounds a line of the stream.
const maxEventLine = 1 << 20

// follow prints one stream. It reports whether to ask for another.
func (c *client) follow(body io.Reader, last *string) (again bool, err error) {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxEventLine)
	kind := ""
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			*last = value
		case "event":
			kind = value
		case "data":
			if err := c.printEvent(kind, value); err != nil {
				return false, err
			}
			if kind == "cut" {
				return true, nil
			}
		}
	}
	return false, nil
}

func (c *client) printEvent(kind, data string) error {
	if kind == "cut" || kind == "gap" {
		if c.json {
			return nil
		}
		_, err := fmt.Fprintln(c.out, "… some events are missing here")
		return err
	}
	if c.json {
		_, err := fmt.Fprintln(c.out, data)
		return err
	}
	var e eventLine
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		return fmt.Errorf("the stream has no events: %w", err)
	}
	id := strings.Repeat("-", 8)
	if e.Message != nil {
		id = *e.Message
	}
	_, err := fmt.Fprintf(c.out, "%s  %s  %s\n", short(e.At), id, e.told())
	return err
}
