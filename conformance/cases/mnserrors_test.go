package cases_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/sluicemq/sluice"
)

// mnsErrors reads testdata/mns-errors.tsv, whose head explains it. A status of 0 is not known.
func mnsErrors(t *testing.T) (all []knownError) {
	t.Helper()
	for _, f := range tabbed(t, "testdata/mns-errors.tsv", 5) {
		status, _ := strconv.Atoi(f[2])
		code, text := strings.TrimPrefix(f[3], "-"), strings.TrimPrefix(f[4], "-")
		all = append(all, knownError{trigger: f[0], operations: strings.Fields(f[1]), protocols: onlyMNS, status: status, code: code, text: text})
	}
	return all
}

func TestEveryKnownErrorOfMNSIsServed(t *testing.T) {
	used := map[string]bool{}
	for _, e := range mnsErrors(t) {
		used[e.trigger] = true
		for _, operation := range e.operations {
			provoke, served := mnsProvocations[e.trigger]
			reason, left := mnsNotServed[e.trigger]
			if served == left || left && reason == "" {
				t.Errorf("%s of %s has a request that provokes it: %v; a reason why it is not served: %q", e.trigger, operation, served, reason)
				continue
			}
			if served {
				t.Run(e.trigger+" "+operation, func(t *testing.T) {
					inWorld(t, mnsProvokedUnder[e.trigger], func(w *world) {
						c := w.as(mnsXML)
						c.made("q", nil)
						trials := provoke(c, operation)
						failsIf(t, len(trials) == 0, "nothing was tried")
						for _, one := range trials {
							e.checkMNS(c, operation, one)
						}
					})
				})
			}
		}
	}
	wantKnown(t, used, mnsProvocations, mnsNotServed)
}

func (e knownError) checkMNS(c *client, operation string, one trial) {
	c.t.Helper()
	want := reply{status: e.status, code: e.code, text: e.textFor(one)}
	if one.got.String() != want.String() {
		c.t.Errorf("%s: got  %v\nwant %v", operation, one.got, want)
	}
}

// mnsRequest is a request: method, target and body. In them {q} is the queue and {t} the topic.
type mnsRequest struct{ method, target, body string }

const oneMessage = "<Message><MessageBody>m</MessageBody></Message>"

// mnsRequests are good requests of the operations on queues and topics.
var mnsRequests = map[string]mnsRequest{
	"CreateQueue":             {"PUT", "/queues/{q}", "<Queue/>"},
	"SetQueueAttributes":      {"PUT", "/queues/{q}?metaoverride=true", "<Queue/>"},
	"SetAccountAttributes":    {"PUT", "/?accountmeta=true", "<Account/>"},
	"GetQueueAttributes":      {"GET", "/queues/{q}", ""},
	"DeleteQueue":             {"DELETE", "/queues/{q}", ""},
	"ListQueue":               {"GET", "/queues", ""},
	"SendMessage":             {"POST", "/queues/{q}/messages", oneMessage},
	"BatchSendMessage":        {"POST", "/queues/{q}/messages", "<Messages>" + oneMessage + "</Messages>"},
	"ReceiveMessage":          {"GET", "/queues/{q}/messages", ""},
	"BatchReceiveMessage":     {"GET", "/queues/{q}/messages?numOfMessages=1", ""},
	"PeekMessage":             {"GET", "/queues/{q}/messages?peekonly=true", ""},
	"BatchPeekMessage":        {"GET", "/queues/{q}/messages?peekonly=true&numOfMessages=1", ""},
	"DeleteMessage":           {"DELETE", "/queues/{q}/messages?ReceiptHandle=x", ""},
	"BatchDeleteMessage":      {"DELETE", "/queues/{q}/messages", "<ReceiptHandles><ReceiptHandle>x</ReceiptHandle></ReceiptHandles>"},
	"ChangeMessageVisibility": {"PUT", "/queues/{q}/messages?ReceiptHandle=x&VisibilityTimeout=1", ""},

	"CreateTopic":               {"PUT", "/topics/{t}", "<Topic/>"},
	"SetTopicAttributes":        {"PUT", "/topics/{t}?metaoverride=true", "<Topic/>"},
	"GetTopicAttributes":        {"GET", "/topics/{t}", ""},
	"DeleteTopic":               {"DELETE", "/topics/{t}", ""},
	"ListTopic":                 {"GET", "/topics", ""},
	"PublishMessage":            {"POST", "/topics/{t}/messages", oneMessage},
	"Subscribe":                 {"PUT", "/topics/{t}/subscriptions/s", "<Subscription><Endpoint>http://127.0.0.1/</Endpoint></Subscription>"},
	"SetSubscriptionAttributes": {"PUT", "/topics/{t}/subscriptions/s?metaoverride=true", "<Subscription/>"},
	"GetSubscriptionAttributes": {"GET", "/topics/{t}/subscriptions/s", ""},
	"Unsubscribe":               {"DELETE", "/topics/{t}/subscriptions/s", ""},
	"ListSubscriptionByTopic":   {"GET", "/topics/{t}/subscriptions", ""},
}

// requests sends the good request of an operation for the queue q and the topic t, with another body if one is given.
func (c *client) requests(operation, queue, topic string, body ...string) reply {
	c.t.Helper()
	r := mnsRequests[operation]
	if body != nil {
		r.body = body[0]
	}
	return c.wire.(mns).call(r.method, strings.NewReplacer("{q}", queue, "{t}", topic).Replace(r.target), r.body)
}

// bodied tries bodies; before each stands what the braces of its error's text stand for.
func bodied(bodies ...[]string) provocation {
	return func(c *client, operation string) (all []trial) {
		c.topic("t")
		for _, b := range bodies {
			last := len(b) - 1
			all = append(all, trial{c.requests(operation, "q", "t", b[last]), b[:last]})
		}
		return all
	}
}

// notXML are bodies that are no XML, or none at all.
var notXML = bodied([]string{"<"}, []string{"x"}, []string{"<a>"}, []string{"<a></b>"}, []string{"<a/><b/>"}, []string{"<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>"},
	[]string{"<a>&nbsp;</a>"}, []string{"<a>\x01</a>"}, []string{"{}"}, []string{strings.Repeat("<a>", 1000) + strings.Repeat("</a>", 1000)})

func (c *client) topic(name string) {
	c.t.Helper()
	c.must(c.wire.(mns).call(http.MethodPut, "/topics/"+name, "<Topic/>"), "201")
}

// ranged is what a text about a range speaks of.
func ranged(element string, low, high int, unit string) []string {
	return []string{"element", element, "low", fmt.Sprint(low), "high", fmt.Sprint(high), "unit", unit}
}

func ofElement(name string) []string { return []string{"element", name} }

// mnsProvokedUnder are the options of a server in which an error can be provoked, where they are not the usual ones.
var mnsProvokedUnder = map[string]sluice.Options{
	"queue-deleted-a-moment-ago": {Strict: true},
	"topic-deleted-a-moment-ago": {Strict: true},
	"group-absent-on-fifo-topic": {Resources: sluice.Resources{Topics: []sluice.Topic{{Name: "steps", FIFO: true}}}},
}

const (
	everyAnswers    = "the service has a second code for it, of which no more is known"
	noLimits        = "there are no limits on the requests of an account"
	notOfTheService = "it is no answer of the service"
)

var mnsNotServed = map[string]string{
	"authorization-absent-other-words": "the sample on the reference page contradicts its table, which is followed",
	"key-unknown-other-words":          "the words of the reference page; a live test asserts others",
	"denied-by-policy":                 "policies hold only where signatures are verified; the tests of protocols/mns have them",
	"digest-wrong-newer-code":          everyAnswers,
	"content-type-refused":             "clients send several types, and the service takes them",
	"server-fault-other-code":          everyAnswers,
	"too-many-requests":                noLimits,
	"too-many-requests-of-queue":       noLimits,
	"queue-quota":                      "the quota is raised on demand, and no more than the code is known",
	"batch-partly-failed":              "entries only fail by their size, with an error of their own: TestOversizedEntryFailsAlone",
	"too-many-polls":                   "polls cost nothing, so there are never too many",
	"delete-argument":                  "the operation has no argument with a range",
	"receiver-denies":                  notOfTheService,
	"receiver-slow":                    notOfTheService,
	"client-create-same":               notOfTheService,
	"client-gateway-version":           notOfTheService,
}
