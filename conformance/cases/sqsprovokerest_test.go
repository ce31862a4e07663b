package cases_test

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// The requests that provoke the errors of SQS: of this file, those about policies, batches as wholes, permissions,
// tags and move tasks.

// redriveOf tries values of RedrivePolicy on a standard queue.
func redriveOf(values ...string) provocation { return attributeWith("RedrivePolicy", values...) }

var (
	noARN      = compact(obj{"deadLetterTargetArn": "dead", "maxReceiveCount": 1})
	otherARN   = compact(obj{"deadLetterTargetArn": "arn:aws:sns:us-east-1:000000000000:dead", "maxReceiveCount": 1})
	elsewhere  = compact(obj{"deadLetterTargetArn": "arn:aws:sqs:eu-west-1:000000000000:dead", "maxReceiveCount": 1})
	furtherKey = compact(obj{"deadLetterTargetArn": queueARN("dead"), "maxReceiveCount": 1, "x": 1})
)

func allow(permission string, sources ...string) string {
	in := obj{"redrivePermission": permission}
	if sources != nil {
		in["sourceQueueArns"] = sources
	}
	return compact(in)
}

// withEntries calls a batch operation on q with entries of the given ids.
func withEntries(fill []string, ids ...string) provocation {
	return func(c *client, operation string) []trial {
		return tried(c.call(operation, "q", "Entries", batchOf(operation, ids...)), fill...)
	}
}

// permitting adds a permission to q.
func (c *client) permitting(label string, accounts, actions []string) reply {
	c.t.Helper()
	return c.call("AddPermission", "q", "Label", label, "AWSAccountIds", accounts, "Actions", actions)
}

// tagging calls an operation that takes tags for one.
func tagging(key, value string) provocation {
	return func(c *client, operation string) []trial {
		tags := map[string]string{key: value}
		switch operation {
		case "CreateQueue":
			return tried(c.call(operation, "", "QueueName", "new", "tags", tags))
		case "UntagQueue":
			return tried(c.call(operation, "q", "TagKeys", []string{key}))
		}
		return tried(c.call(operation, "q", "Tags", tags))
	}
}

// task writes a handle of a move task as the provider does.
func task(id, queue string) string {
	return base64.StdEncoding.EncodeToString([]byte(`{"taskId":"` + id + `","sourceArn":"` + queueARN(queue) + `"}`))
}

// move starts to move the messages of dead and returns the answer and its handle.
func (c *client) move(more ...any) (reply, string) {
	c.t.Helper()
	got := c.call("StartMessageMoveTask", "", append([]any{"SourceArn", queueARN("dead")}, more...)...)
	if got.code != "" {
		return got, ""
	}
	return got, text(c.wire.(sqs).result("StartMessageMoveTask", got), "TaskHandle")
}

// moving tries StartMessageMoveTask with members beside a good source.
func moving(more ...any) provocation {
	return func(c *client, _ string) []trial {
		got, _ := c.move(more...)
		return tried(got)
	}
}

var (
	home  = []string{sqsHome}
	sends = []string{"SendMessage"}
)

var provokedByRest = map[string]provocation{
	"redrive-no-object":            redriveOf("x", "[]", "5", `"{}"`, "null"),
	"redrive-without-count":        redriveOf("{}", `{"deadLetterTargetArn":"`+queueARN("dead")+`"}`),
	"redrive-without-target":       redriveOf(`{"maxReceiveCount":1}`),
	"redrive-count-range":          redriveCounts,
	"redrive-target-no-arn":        redriveOf(noARN),
	"redrive-target-other-service": redriveOf(otherARN),
	"redrive-target-other-type": func(c *client, operation string) []trial {
		standard, fifo := redrive("dead", 1), redrive("q.fifo", 1)
		return []trial{
			{c.setting(operation, "q.fifo", map[string]string{"RedrivePolicy": standard}), []string{"policy", standard}},
			{c.setting(operation, "q", map[string]string{"RedrivePolicy": fifo}), []string{"policy", fifo}},
		}
	},
	"redrive-target-unknown": redriveOf(redrive("nope", 1), elsewhere),
	"redrive-further-member": redriveOf(furtherKey),
	"redrive-denied-by-target": func(c *client, operation string) (all []trial) {
		for _, policy := range []string{allow("denyAll"), allow("byQueue", queueARN("source"))} {
			c.ok(c.set("dead", map[string]string{"RedriveAllowPolicy": policy}))
			all = append(all, redriveOf(redrive("dead", 1))(c, operation)...)
		}
		return all
	},
	"redrive-allow-malformed":       attributeWith("RedriveAllowPolicy", "x", "[]", "{}", allow("perhaps"), `{"redrivePermission":"byQueue","sourceQueueArns":"x"}`, allow("byQueue", "x")),
	"redrive-allow-without-sources": attributeWith("RedriveAllowPolicy", allow("byQueue"), allow("byQueue", []string{}...)),
	"redrive-allow-11-sources":      attributeWith("RedriveAllowPolicy", allow("byQueue", strings.Fields(strings.Repeat(queueARN("q")+" ", 11))...)),
	"redrive-allow-sources-unasked": attributeWith("RedriveAllowPolicy", allow("allowAll", queueARN("q")), allow("denyAll", queueARN("q"))),

	"entries-absent":     func(c *client, operation string) []trial { return tried(c.call(operation, "q")) },
	"entries-none":       withEntries(nil),
	"entries-eleven":     withEntries([]string{"value", "11"}, strings.Split("abcdefghijk", "")...),
	"entry-id-malformed": inTurn(withEntries(nil, ""), withEntries(nil, "a", "a b"), withEntries(nil, letters(81)), withEntries(nil, "é")),
	"entry-ids-equal":    withEntries([]string{"value", "b"}, "a", "b", "c", "b", "a"),
	"entry-without-id": func(c *client, operation string) []trial {
		entries := batchOf(operation, "a", "b")
		delete(entries[0], "Id")
		return tried(c.call(operation, "q", "Entries", entries))
	},
	"batch-over-size": func(c *client, operation string) []trial {
		entries := batchOf(operation, "a", "b")
		entries[0]["MessageBody"] = letters(1 << 20)
		return tried(c.call(operation, "q", "Entries", entries), "value", fmt.Sprint(1<<20+1))
	},

	"label-taken": func(c *client, _ string) []trial {
		c.must(c.permitting("l", home, sends), "200")
		c.must(c.permitting("l", home, sends), "200") // the same once more is not another one
		return tried(c.permitting("l", home, []string{"ReceiveMessage"}), "value", "l")
	},
	"label-absent": func(c *client, operation string) []trial {
		return []trial{{got: c.call(operation, "q", "AWSAccountIds", home, "Actions", sends)}, {got: c.call(operation, "q", "Label", "", "AWSAccountIds", home, "Actions", sends)}}
	},
	"actions-absent": func(c *client, operation string) []trial {
		return tried(c.call(operation, "q", "Label", "l", "AWSAccountIds", home))
	},
	"action-to-grant-unknown": func(c *client, _ string) []trial {
		return []trial{{c.permitting("l", home, []string{"Foo"}), []string{"value", "Foo"}}, {c.permitting("l", home, []string{"SendMessage", "sendmessage"}), []string{"value", "sendmessage"}}}
	},
	"action-of-owner": func(c *client, _ string) []trial {
		return []trial{{c.permitting("l", home, []string{"CreateQueue"}), []string{"value", "CreateQueue"}}, {c.permitting("l", home, []string{"AddPermission"}), []string{"value", "AddPermission"}}}
	},
	"account-unknown": func(c *client, operation string) []trial {
		return []trial{
			{c.permitting("l", []string{"x"}, sends), []string{"value", "x"}},
			{c.permitting("l", []string{sqsHome, "12"}, sends), []string{"value", sqsHome + ", 12"}},
			{c.call(operation, "q", "Label", "l", "Actions", sends), []string{"value", ""}},
		}
	},
	"eight-actions": func(c *client, _ string) []trial {
		return tried(c.permitting("l", home, strings.Fields(strings.Repeat("SendMessage ", 8))), "value", "8")
	},
	"policy-full": func(c *client, _ string) []trial {
		for i := range 20 {
			c.must(c.permitting(fmt.Sprint("l", i), home, sends), "200")
		}
		return tried(c.permitting("l20", home, sends), "value", "21")
	},
	"label-unknown-without-policy": func(c *client, operation string) []trial {
		return tried(c.call(operation, "q", "Label", "l"), "value", "l")
	},
	"label-unknown-in-policy": func(c *client, operation string) []trial {
		c.must(c.permitting("other", home, sends), "200")
		return tried(c.call(operation, "q", "Label", "l"), "value", "l")
	},

	"tags-absent": func(c *client, operation string) []trial {
		return []trial{{got: c.call(operation, "q")}, {got: c.call(operation, "q", "Tags", map[string]string{})}}
	},
	"tags-51": func(c *client, operation string) []trial {
		tags := map[string]string{}
		for i := range 51 {
			tags[fmt.Sprint("k", i)] = "v"
		}
		return tried(c.call(operation, "q", "Tags", tags), "value", "q")
	},
	"tag-key-length":      inTurn(tagging(letters(129), "v"), tagging("", "v")),
	"tag-key-character":   inTurn(tagging("a!", "v"), tagging("a*", "v"), tagging("\x01", "v")),
	"tag-value-character": inTurn(tagging("k", "a!"), tagging("k", "\x01")),
	"tag-value-null": func(c *client, operation string) []trial {
		return tried(c.ask(operation, `{"QueueUrl":"`+queueURL("q")+`","Tags":{"k":null}}`))
	},
	"tag-keys-none":   func(c *client, operation string) []trial { return tried(c.call(operation, "q", "TagKeys", []string{})) },
	"tag-keys-absent": func(c *client, operation string) []trial { return tried(c.call(operation, "q")) },

	"move-source-no-dead-letter-queue": func(c *client, operation string) []trial {
		return tried(c.call(operation, "", "SourceArn", queueARN("q")))
	},
	"move-running": func(c *client, _ string) []trial {
		c.sends("dead", "a", "b", "c")
		first, _ := c.move("DestinationArn", queueARN("q"), "MaxNumberOfMessagesPerSecond", 1)
		c.must(first, "200")
		again, _ := c.move()
		return tried(again)
	},
	"move-source-unknown": func(c *client, operation string) []trial {
		return tried(c.call(operation, "", "SourceArn", queueARN("nope"), "TaskHandle", task("81eb2b4f-0b9c-4d2e-9a3c-2f0f4b6d7e88", "nope")))
	},
	"move-target-unknown": moving("DestinationArn", queueARN("nope")),
	"move-source-absent":  func(c *client, operation string) []trial { return tried(c.call(operation, "")) },
	"move-source-no-arn": func(c *client, operation string) []trial {
		return []trial{{got: c.call(operation, "", "SourceArn", "dead")}, {got: c.call(operation, "", "SourceArn", "arn:aws:sns:us-east-1:000000000000:dead")}}
	},
	"move-target-no-arn":   moving("DestinationArn", "q"),
	"move-to-itself":       moving("DestinationArn", queueARN("dead")),
	"move-to-other-type":   moving("DestinationArn", queueARN("q.fifo")),
	"move-rate-range":      inTurn(moving("MaxNumberOfMessagesPerSecond", 0), moving("MaxNumberOfMessagesPerSecond", 501)),
	"move-page-size-range": inTurn(listingMoves(0), listingMoves(11)),
	"task-absent":          func(c *client, operation string) []trial { return tried(c.call(operation, "")) },
	"task-empty":           func(c *client, operation string) []trial { return tried(c.call(operation, "", "TaskHandle", "")) },
	"task-broken": func(c *client, operation string) []trial {
		return []trial{{got: c.call(operation, "", "TaskHandle", "x")}, {got: c.call(operation, "", "TaskHandle", base64.StdEncoding.EncodeToString([]byte("{}")))}}
	},
	"task-unknown": func(c *client, operation string) []trial {
		return tried(c.call(operation, "", "TaskHandle", task("81eb2b4f-0b9c-4d2e-9a3c-2f0f4b6d7e88", "dead")))
	},
	"task-not-running": func(c *client, operation string) []trial {
		started, handle := c.move()
		c.must(started, "200")
		c.after(60)
		return tried(c.call(operation, "", "TaskHandle", handle))
	},
}

func listingMoves(n int) provocation {
	return func(c *client, operation string) []trial {
		return tried(c.call(operation, "", "SourceArn", queueARN("dead"), "MaxResults", n))
	}
}

func redriveCounts(c *client, operation string) (all []trial) {
	for _, count := range []any{0, 1001, -1, "x", "", 1.5, true} {
		policy := redrive("dead", count)
		all = append(all, trial{c.setting(operation, "q", map[string]string{"RedrivePolicy": policy}), []string{"policy", policy, "value", fmt.Sprint(count)}})
	}
	return all
}
