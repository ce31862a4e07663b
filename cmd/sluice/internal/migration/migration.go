// Package migration reads the files in which users of other emulators, of CloudFormation and of Terraform have written
// down their queues, and says which resources of ours they come to.
//
// What a file says and Sluice has no word for becomes a warning, never an error: a queue too few is found at once, and
// most of what is left out does not matter to a program under test. Errors are for files that cannot be read at all.
package migration

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sluicemq/sluice"
)

// Result is what a file comes to.
type Result struct {
	Listen   string // host:port; empty if the file does not say
	Data     string // empty if the file does not say
	Options  sluice.Options
	Warnings []string // what is left out, or taken in another sense
}

// readers are the kinds of files, by the names that users have for them.
var readers = map[string]func(r *Result, text []byte, values map[string]string) error{
	"elasticmq":       elasticMQ,
	"goaws":           goAWS,
	"cloudformation":  cloudFormation,
	"terraform-state": terraformState,
}

// Kinds are the kinds of files that Read knows.
func Kinds() []string { return slices.Sorted(maps.Keys(readers)) }

// maxSize bounds files: states of Terraform can have many resources besides queues.
const maxSize = 64 << 20

// Read reads a file of one of the Kinds. The values are those of a template's parameters. Whatever the result names can be
// declared.
func Read(kind string, text []byte, values map[string]string) (*Result, error) {
	read, known := readers[kind]
	if !known {
		return nil, fmt.Errorf("%q is none of %s", kind, strings.Join(Kinds(), ", "))
	}
	if len(text) > maxSize {
		return nil, fmt.Errorf("larger than %d bytes", maxSize)
	}
	r := &Result{Options: sluice.Options{SQS: sluice.DefaultSQS, MNS: sluice.DefaultMNS}}
	if err := read(r, text, values); err != nil {
		return nil, err
	}
	r.settle()
	return r, nil
}

func (r *Result) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

func (r *Result) add(q sluice.Queue) {
	r.Options.Resources.Queues = append(r.Options.Resources.Queues, q)
}

// inHosts are the characters of what can be listened on: a name, or an address of either kind.
const inHosts = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.:_-"

// addressOf puts an address together. Where host or port is none, that of the other server's default is taken.
func (r *Result) addressOf(host, port, defaultHost, defaultPort string) string {
	if strings.Trim(host, inHosts) != "" {
		r.warn("host %s is not one: %s is taken", host, defaultHost)
		host = defaultHost
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		r.warn("port %s is not a number: %s is taken", port, defaultPort)
		port = defaultPort
	}
	return net.JoinHostPort(host, port)
}

// whole returns a number of seconds as a setting.
func whole(n int64) *time.Duration { return new(time.Duration(n) * time.Second) }

// redrive reads a RedrivePolicy. The count may be a text.
func redrive(policy string) (*sluice.DeadLetter, error) {
	var p struct {
		Target string `json:"deadLetterTargetArn"`
		Count  any    `json:"maxReceiveCount"`
	}
	if err := json.Unmarshal([]byte(policy), &p); err != nil {
		return nil, fmt.Errorf("redrive policy %s: %w", policy, err)
	}
	return deadLetter(p.Target, p.Count)
}

func deadLetter(target string, count any) (*sluice.DeadLetter, error) {
	name := target[strings.LastIndexByte(target, ':')+1:]
	n, err := strconv.Atoi(fmt.Sprint(count))
	if name == "" || err != nil {
		return nil, fmt.Errorf("redrive policy to %q after %v receives is incomplete", target, count)
	}
	return &sluice.DeadLetter{Queue: name, MaxReceives: n}, nil
}

// homeOf returns the account and region of a resource name, if it has both.
func homeOf(arn string) (sluice.Home, bool) {
	parts := strings.Split(arn, ":")
	if len(parts) < 6 {
		return sluice.Home{}, false
	}
	h, err := sluice.ParseSQS(parts[4] + "/" + parts[3])
	return h, err == nil
}
