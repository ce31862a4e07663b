package sluice

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Resources are queues, topics and subscriptions that a server makes when it is opened, so that nobody has to make
// them, and with settings for which a provider's API has no words. What is there already keeps its messages and gets the
// settings that are named here; nothing is ever removed.
type Resources struct {
	Queues        []Queue
	Topics        []Topic
	Subscriptions []Subscription
}

// Queue is a queue that is to be there. What is nil is left as it is, and is the provider's default in a new queue.
type Queue struct {
	// Namespace is whose queue it is: an account of SQS or of MNS, whose defaults a new queue gets. The zero value means
	// the home of SQS.
	Namespace Home
	// Name has up to 80 letters, digits, hyphens and underscores in an account of SQS, where those of FIFO queues end with
	// .fifo, and up to 120 letters, digits and hyphens in one of MNS, where they may.
	Name string
	// FIFO makes a FIFO queue. That is for good: a queue of the other type is not touched.
	FIFO bool
	// ContentDedup makes the digest of a body the deduplication id of a message without one. FIFO queues only.
	ContentDedup *bool
	// DeadLetter is where messages go that are received too often.
	DeadLetter *DeadLetter
	// Tags are set beside those that the queue has already.
	Tags map[string]string
	// Attributes are those of SQS that have no field here, in its own words: Policy, RedriveAllowPolicy, KmsMasterKeyId,
	// KmsDataKeyReusePeriodSeconds, SqsManagedSseEnabled, DeduplicationScope, FifoThroughputLimit.
	Attributes map[string]string
	// Logging is the LoggingEnabled of MNS. It is kept and shown, and nothing comes of it.
	Logging *bool

	Delay      *time.Duration // 0 to 7 days
	Visibility *time.Duration // 0 to 12 hours
	Retention  *time.Duration // 1 minute to 14 days
	Wait       *time.Duration // 0 to 30 seconds
	MaxSize    *int           // 1024 to 1048576 bytes

	// TenantRate is how many messages of one group are delivered within a second. 0, which is the default: as many as
	// there are. Standard queues only.
	TenantRate *int
}

// DeadLetter moves a message to a Queue of the same namespace when it would be received for the MaxReceives+1st time.
type DeadLetter struct {
	Queue       string
	MaxReceives int // 1 to 1000
}

// Topic is a topic of MNS that is to be there.
type Topic struct {
	Namespace Home // the zero value means the home of MNS
	Name      string
	// FIFO makes a FIFO topic: every publication has a message group, and every subscription is that of a FIFO queue. That
	// is for good: a topic of the other type is not touched.
	FIFO    bool
	MaxSize *int  // 1024 to 65536 bytes
	Logging *bool // as that of a Queue
}

// Subscription is a subscription of MNS that is to be there. The texts are those of its API.
type Subscription struct {
	Namespace Home // of the topic; the zero value means the home of MNS
	Topic     string
	Name      string

	Endpoint   string // a URL, acs:mns:{region}:{account}:queues/{name}, mail:directmail:{address} or sms:directsms:{number}
	Queue      string // in place of Endpoint: a queue of the same namespace
	FilterTag  string
	Strategy   string // BACKOFF_RETRY, which is the default, or EXPONENTIAL_DECAY_RETRY
	Format     string // XML, which is the default, JSON or SIMPLIFIED
	DeadLetter string // a queue of the same namespace, for what could not be delivered
}

// names are what a provider takes for a name of one kind.
type names struct {
	form  func() *regexp.Regexp
	words string
}

// What the providers' own operations would refuse to make is refused here too, since no client could name it. Documented,
// of queues; of topics the longer of the two lengths that are documented. That of an MNS queue does not count .fifo, which
// is there for SQS.
var (
	sqsQueueName = names{pattern(`^([A-Za-z0-9_-]{1,80}|[A-Za-z0-9_-]{1,75}\.fifo)$`), "1 to 80 letters, digits, hyphens and underscores"}
	mnsQueueName = names{pattern(`^[A-Za-z0-9][A-Za-z0-9-]{0,119}$`), "1 to 120 letters, digits and hyphens, the first no hyphen"}
	mnsName      = names{pattern(`^[A-Za-z0-9][A-Za-z0-9-]{0,254}$`), "1 to 255 letters, digits and hyphens, the first no hyphen"}
)

// Documented, of tags in SQS.
const (
	maxTags     = 50
	maxTagKey   = 128
	maxTagValue = 256
)

// ResourceError tells which of the Resources cannot be.
type ResourceError struct {
	Section string // "queues", "topics" or "subscriptions"
	Index   int    // its place in the section
	Name    string // what it is and how it is called, such as "queue orders"
	Err     error
}

// Error names the resource and the reason.
func (e *ResourceError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *ResourceError) Unwrap() error { return e.Err }

// queueError says of which queue an error is, if there is one.
func (r *Resources) queueError(i int, err error) error {
	if err == nil {
		return nil
	}
	return &ResourceError{Section: "queues", Index: i, Name: "queue " + r.Queues[i].Name, Err: err}
}

func (r *Resources) topicError(i int, err error) error {
	if err == nil {
		return nil
	}
	return &ResourceError{Section: "topics", Index: i, Name: "topic " + r.Topics[i].Name, Err: err}
}

func (r *Resources) subscriptionError(i int, err error) error {
	if err == nil {
		return nil
	}
	s := &r.Subscriptions[i]
	return &ResourceError{Section: "subscriptions", Index: i, Name: "subscription " + s.Name + " of topic " + s.Topic, Err: err}
}

// fifoSuffix ends the names of FIFO queues in SQS, and of no others.
const fifoSuffix = ".fifo"

// maxTenantRate is about what a whole account may do in a second, five times over.
const maxTenantRate = 100_000

func (q *Queue) validate() error {
	const day = 24 * time.Hour
	switch {
	case !q.FIFO && strings.HasSuffix(q.Name, fifoSuffix):
		return errors.New("the name ends in .fifo, and the queue is not a FIFO queue")
	case !q.FIFO && q.ContentDedup != nil:
		return errors.New("content-dedup is for FIFO queues")
	case q.FIFO && q.TenantRate != nil && *q.TenantRate != 0:
		return errors.New("tenant-rate is for standard queues")
	case q.DeadLetter != nil && q.DeadLetter.Queue == "":
		return errors.New("dead-letter names no queue")
	}
	var receives *int
	if q.DeadLetter != nil {
		receives = &q.DeadLetter.MaxReceives
	}
	return firstOf(
		checkTags(q.Tags),
		checkRange("max-receives", receives, 1, 1000),
		checkRange("delay", q.Delay, 0, 7*day),
		checkRange("visibility", q.Visibility, 0, 12*time.Hour),
		checkRange("retention", q.Retention, time.Minute, 14*day),
		checkRange("wait", q.Wait, 0, 30*time.Second),
		checkRange("max-size", q.MaxSize, 1<<10, 1<<20),
		checkRange("tenant-rate", q.TenantRate, 0, maxTenantRate),
	)
}

func (t *Topic) validate() error {
	return firstOf(checkName(t.Name, mnsName), checkRange("max-size", t.MaxSize, 1<<10, 1<<16))
}

func (s *Subscription) validate() error {
	switch {
	case s.Endpoint == "" && s.Queue == "" || s.Endpoint != "" && s.Queue != "":
		return errors.New("want either an endpoint or a queue")
	case s.DeadLetter != "" && s.DeadLetter == s.Queue:
		return errors.New("the dead-letter queue is the queue itself")
	}
	return firstOf(checkName(s.Name, mnsName), checkName(s.Topic, mnsName))
}

func checkName(name string, n names) error {
	if !n.form().MatchString(name) {
		return fmt.Errorf("%q is not a name, want %s", name, n.words)
	}
	return nil
}

func checkTags(tags map[string]string) error {
	if len(tags) > maxTags {
		return fmt.Errorf("there are %d tags, want up to %d", len(tags), maxTags)
	}
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		switch {
		case key == "" || utf8.RuneCountInString(key) > maxTagKey:
			return fmt.Errorf("%q is not the key of a tag, want 1 to %d characters", key, maxTagKey)
		case utf8.RuneCountInString(tags[key]) > maxTagValue:
			return fmt.Errorf("the tag %s is too long, want up to %d characters", key, maxTagValue)
		}
	}
	return nil
}

// checkRange checks what is given.
func checkRange[T int | time.Duration](name string, given *T, low, high T) error {
	if given != nil && (*given < low || *given > high) {
		return fmt.Errorf("%s is %v, want %v to %v", name, *given, low, high)
	}
	return nil
}

// firstOf returns the first error.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
