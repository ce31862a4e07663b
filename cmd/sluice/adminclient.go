package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// controlLimit is how long the control API may take to answer.
const controlLimit = 30 * time.Second

// client asks the control API of a running server.
type client struct {
	base  string
	token string
	json  bool // print what comes as it is
	out   io.Writer
}

// clientCommand makes a command that asks the control API.
func clientCommand(use, short string, args cobra.PositionalArgs, run func(ctx context.Context, c *client, args []string) error) *cobra.Command {
	command := &cobra.Command{Use: use, Short: short, Args: args}
	f := command.Flags()
	base := f.String("admin", "http://"+adminDefault, "address of the control API")
	token := f.String("token", "", "its token")
	_ = f.SetAnnotation("token", variableAs, []string{"admin-token"}) // serve calls it so
	asJSON := f.Bool("json", false, "print JSON")
	command.RunE = func(cc *cobra.Command, args []string) error {
		if *base == adminNone {
			return errors.New("the server has no control API, says SLUICE_ADMIN")
		}
		c := newClient(*base, *token)
		c.json, c.out = *asJSON, cc.OutOrStdout()
		return run(cc.Context(), c, args)
	}
	return command
}

// newClient returns a client of the control API at an address.
func newClient(base, token string) *client {
	return &client{base: rootURL(base), token: token}
}

// request makes a request to a path.
func (c *client) request(ctx context.Context, path string, query url.Values) (*http.Request, error) {
	address := c.base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot ask %s: %w", c.base, err)
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	return r, nil
}

// do sends a request and turns what is not an answer into an error.
func (c *client) do(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, fmt.Errorf("cannot ask the control API at %s: %w", c.base, plain(err))
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer resp.Body.Close()
	var answer struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.NewDecoder(io.LimitReader(resp.Body, 1<<16)).Decode(&answer) == nil && answer.Error.Message != "" {
		return nil, errors.New(strings.TrimSuffix(answer.Error.Message, "."))
	}
	return nil, fmt.Errorf("%s answers %s", r.URL, resp.Status)
}

// get asks for JSON, reads it and returns it as well as it came.
func (c *client) get(ctx context.Context, path string, query url.Values, into any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, controlLimit)
	defer cancel()
	r, err := c.request(ctx, path, query)
	if err != nil {
		return nil, err
	}
	resp, err := c.do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("the answer of %s ends early: %w", c.base, plain(err))
	}
	if err := json.Unmarshal(body, into); err != nil {
		return nil, fmt.Errorf("%s is no control API: %w", c.base, err)
	}
	return bytes.TrimSpace(body), nil
}

// The parts of the control API's answers that are printed.
type (
	queueRef struct {
		Account string `json:"account"`
		Region  string `json:"region"`
		Name    string `json:"name"`
	}
	queueCounts struct {
		Visible  int `json:"visible"`
		InFlight int `json:"inFlight"`
		Delayed  int `json:"delayed"`
	}
	queueLine struct {
		queueRef
		Counts           queueCounts `json:"counts"`
		OldestAgeSeconds *float64    `json:"oldestAgeSeconds"`
		WaitingReceivers int         `json:"waitingReceivers"`
		Settings         struct {
			DeadLetter *struct {
				queueRef
				MaxReceives int `json:"maxReceives"`
			} `json:"deadLetter"`
		} `json:"settings"`
	}
	messageLine struct {
		ID        string    `json:"id"`
		State     string    `json:"state"`
		VisibleAt time.Time `json:"visibleAt"`
		SentAt    time.Time `json:"sentAt"`
		Receives  int       `json:"receives"`
		Group     string    `json:"group"`
		Size      int       `json:"size"`
		Body      string    `json:"body"`
	}
	eventLine struct {
		Kind         string     `json:"kind"`
		At           time.Time  `json:"at"`
		Queue        *queueRef  `json:"queue"`
		Other        *queueRef  `json:"other"`
		Message      *string    `json:"message"`
		Receives     int        `json:"receives"`
		Until        *time.Time `json:"until"`
		Topic        *queueRef  `json:"topic"`
		Subscription string     `json:"subscription"`
		Error        string     `json:"error"`
	}
)

func (q *queueRef) path() string {
	return "/api/v1/queues/" + url.PathEscape(q.Account) + "/" + url.PathEscape(q.Region) + "/" + url.PathEscape(q.Name)
}

func (q *queueRef) String() string { return q.Account + "/" + q.Region + "/" + q.Name }

// resolve finds the queue that is meant by a name, or by account/region/name.
func (c *client) resolve(ctx context.Context, text string) (*queueRef, error) {
	if parts := strings.Split(text, "/"); len(parts) == 3 {
		return &queueRef{parts[0], parts[1], parts[2]}, nil
	}
	var found []string
	var one queueRef
	err := c.queues(ctx, text, func(q *queueLine, _ json.RawMessage) error {
		if q.Name == text {
			one = q.queueRef
			found = append(found, one.String())
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, fmt.Errorf("there is no queue %s", text)
	case len(found) > 1:
		return nil, fmt.Errorf("there are several queues %s: %s", text, strings.Join(found, ", "))
	}
	return &one, nil
}

// short is a time of day, as there is one in an hour of debugging.
func short(t time.Time) string { return t.UTC().Format("15:04:05.000") }

// oneLiner makes a text fit into a line of a terminal.
func oneLiner(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 { // a body must not move the cursor
			return ' '
		}
		return r
	}, s)
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}
