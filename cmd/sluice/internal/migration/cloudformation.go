package migration

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sluicemq/sluice"
)

// cloudFormation reads a template: its AWS::SQS::Queue, and the policies of AWS::SQS::QueuePolicy and
// AWS::SQS::QueueInlinePolicy. Templates of SAM and those that the CDK synthesizes are such templates too.
func cloudFormation(r *Result, text []byte, values map[string]string) error {
	home := r.Options.SQS
	home, err := sluice.ParseSQS(cmp.Or(values["AWS::AccountId"], home.Account) + "/" + cmp.Or(values["AWS::Region"], home.Region))
	if err != nil {
		return err
	}
	r.Options.SQS = home
	t, err := readTemplate(text, values, r.Options.SQS)
	if err != nil {
		return err
	}
	t.expand()
	r.stackConditions(t)
	names := slices.Sorted(maps.Keys(t.resources))
	r.stackNames(t, names)
	others := map[string]int{}
	for _, name := range names {
		kind, properties := t.resource(name)
		switch {
		case kind == "AWS::SQS::Queue":
			r.stackQueue(t, name, properties)
		case strings.HasPrefix(kind, "AWS::SQS::"):
		case strings.HasPrefix(kind, "AWS::SNS::"):
			r.warn("%s: %s has no counterpart", t.at(name), kind)
		case strings.HasPrefix(name, "Fn::"):
			r.warn("%s: it cannot be resolved: its resources are left out", t.at(name))
		default:
			others[kind]++
		}
	}
	for _, name := range names {
		if kind, properties := t.resource(name); kind == "AWS::SQS::QueuePolicy" || kind == "AWS::SQS::QueueInlinePolicy" {
			r.stackPolicy(t, name, properties)
		}
	}
	r.warnOthers(others)
	return nil
}

// warnOthers tells of what is no business of a queue server in one line.
func (r *Result) warnOthers(others map[string]int) {
	delete(others, "") // without a type
	if len(others) > 0 {
		r.warn("resources of other services are left out: %s", strings.Join(slices.Sorted(maps.Keys(others)), ", "))
	}
}

func (t *template) resource(name string) (kind string, properties map[string]any) {
	fields, _ := t.resources[name].(map[string]any)
	kind, _ = fields["Type"].(string)
	properties, _ = fields["Properties"].(map[string]any)
	return kind, properties
}

// stackConditions takes away the resources whose condition does not hold.
func (r *Result) stackConditions(t *template) {
	for _, name := range slices.Sorted(maps.Keys(t.resources)) {
		fields, _ := t.resources[name].(map[string]any)
		condition, ok := fields["Condition"].(string)
		if !ok {
			continue
		}
		holds, err := t.condition(condition, 0)
		isQueue := strings.HasPrefix(fmt.Sprint(fields["Type"]), "AWS::SQS::")
		switch {
		case err != nil && isQueue:
			r.warn("%s: condition %s is taken to be true: %v", t.at(name), condition, err)
		case err == nil && !holds:
			delete(t.resources, name)
			if isQueue {
				r.warn("%s: it is left out, since condition %s does not hold", t.at(name), condition)
			}
		}
	}
}

// stackNames finds the names of queues first, since everything refers to them.
func (r *Result) stackNames(t *template, resources []string) {
	for _, resource := range resources {
		kind, properties := t.resource(resource)
		if kind != "AWS::SQS::Queue" {
			continue
		}
		name, err := t.resolve(properties["QueueName"], 0)
		text, _ := name.(string)
		if err == nil && text != "" {
			t.queues[resource] = text
			continue
		}
		t.queues[resource] = resource
		if r.isFIFO(t, resource, properties) {
			t.queues[resource] += ".fifo"
		}
		if err != nil {
			r.warn("%s: %v: it is %s here", t.at(resource, "QueueName"), err, t.queues[resource])
		} else {
			r.warn("%s: it has no name of its own: it is %s here", t.at(resource), t.queues[resource])
		}
	}
}

// isFIFO reports whether a queue is one, also where a parameter or a condition says so.
func (r *Result) isFIFO(t *template, resource string, properties map[string]any) bool {
	v, err := t.resolve(properties["FifoQueue"], 0)
	return err == nil && isOnIn(v) || strings.HasSuffix(t.queues[resource], ".fifo")
}

// isOnIn reads a truth value also in the words of YAML 1.1, which CloudFormation speaks.
func isOnIn(v any) bool {
	return slices.Contains([]string{"true", "yes", "on"}, strings.ToLower(fmt.Sprint(v)))
}

func (r *Result) stackQueue(t *template, resource string, properties map[string]any) {
	q := sluice.Queue{Name: t.queues[resource], FIFO: r.isFIFO(t, resource, properties)}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		v, err := t.resolve(properties[name], 0)
		if err == nil && v != (removed{}) {
			err = r.stackProperty(&q, name, v)
		}
		if err != nil && name != "QueueName" {
			r.warn("%s: %v: it is left out", t.at(resource, name), err)
		}
	}
	r.add(q)
}

func (r *Result) stackProperty(q *sluice.Queue, name string, v any) (err error) {
	if d := periodNamed(q, name); d != nil {
		*d, err = secondsOf(v)
		return err
	}
	switch name {
	case "QueueName", "FifoQueue":
	case "MaximumMessageSize":
		var n int64
		n, err = numberOf(v)
		q.MaxSize = new(int(n))
	case "ContentBasedDeduplication":
		if on := isOnIn(v); on || q.FIFO {
			q.ContentDedup = &on
		}
	case "RedrivePolicy":
		q.DeadLetter, err = redrive(textOf(v))
	case "Tags":
		q.Tags, err = tagsOf(v)
	case "Policy", "RedriveAllowPolicy", "KmsMasterKeyId", "KmsDataKeyReusePeriodSeconds", "SqsManagedSseEnabled",
		"DeduplicationScope", "FifoThroughputLimit":
		setAttribute(q, name, textOf(v))
	default:
		err = fmt.Errorf("there is no counterpart")
	}
	return err
}

// periodNamed returns where a setting in seconds goes, by the name that SQS has for it; nil for another name.
func periodNamed(q *sluice.Queue, name string) **time.Duration {
	return map[string]**time.Duration{
		"DelaySeconds":                  &q.Delay,
		"VisibilityTimeout":             &q.Visibility,
		"MessageRetentionPeriod":        &q.Retention,
		"ReceiveMessageWaitTimeSeconds": &q.Wait,
	}[name]
}

func setAttribute(q *sluice.Queue, name, value string) {
	if q.Attributes == nil {
		q.Attributes = map[string]string{}
	}
	q.Attributes[name] = value
}

func numberOf(v any) (int64, error) {
	n, err := strconv.ParseInt(fmt.Sprint(v), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%v is not a number", v)
	}
	return n, nil
}

func secondsOf(v any) (*time.Duration, error) {
	n, err := numberOf(v)
	if err != nil || n < 0 || n > 1<<31 {
		return nil, fmt.Errorf("%v is not a number of seconds", v)
	}
	return whole(n), nil
}

// textOf returns a text as it is, and everything else as JSON.
func textOf(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

func tagsOf(v any) (map[string]string, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("want a list")
	}
	tags := map[string]string{}
	for _, each := range list {
		tag, _ := each.(map[string]any)
		if tag["Key"] != nil {
			tags[fmt.Sprint(tag["Key"])] = fmt.Sprint(tag["Value"])
		}
	}
	return tags, nil
}

// stackPolicy gives a policy to its queues, which it names by their URLs.
func (r *Result) stackPolicy(t *template, resource string, properties map[string]any) {
	document, err := t.resolve(properties["PolicyDocument"], 0)
	if err != nil {
		r.warn("%s: %v: it is left out", t.at(resource, "PolicyDocument"), err)
		return
	}
	named := "Queues"
	if properties[named] == nil {
		named = "Queue"
	}
	queues, isList := properties[named].([]any)
	if !isList { // one, or a function that comes to many
		queues = []any{properties[named]}
	}
	for _, each := range queues {
		urls, err := t.resolve(each, 0)
		if err != nil {
			r.warn("%s: %v: one of its queues is left out", t.at(resource, named), err)
			continue
		}
		many, isList := urls.([]any)
		if !isList {
			many = []any{urls}
		}
		for _, url := range many {
			if url != (removed{}) {
				r.policyFor(t.at(resource, named), fmt.Sprint(url), "Policy", textOf(document))
			}
		}
	}
}

// policyFor gives an attribute to the queue with a URL.
func (r *Result) policyFor(resource, url, attribute, value string) {
	if q := r.queueAt(resource, url); q != nil {
		setAttribute(q, attribute, value)
	}
}

// queueAt finds the queue that a resource is for by its URL: that of the account and region in it or, where there is only
// one of its name, that one. It warns and returns nil if there is none.
func (r *Result) queueAt(resource, url string) (found *sluice.Queue) {
	name, named := url[strings.LastIndexByte(url, '/')+1:], 0
	for i := range r.Options.Resources.Queues {
		q := &r.Options.Resources.Queues[i]
		if q.Name != name {
			continue
		}
		home := cmp.Or(q.Namespace, r.Options.SQS)
		if strings.HasSuffix(url, "/"+home.Account+"/"+name) && strings.Contains(url, "//sqs."+home.Region+".") {
			return q
		}
		found, named = q, named+1
	}
	if named == 1 {
		return found
	}
	r.warn("%s: its queue %s is not in the file: it is left out", resource, url)
	return nil
}
