package control

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluicemq/sluice/core"
)

// The shapes of openapi.json. A pointer is a member that may be null, or in a request one that may be absent.

type queueRef struct {
	Account string `json:"account"`
	Region  string `json:"region"`
	Name    string `json:"name"`
}

func refOf(k core.QueueKey) queueRef {
	return queueRef{k.Namespace.Account, k.Namespace.Region, string(k.Name)}
}

func (q queueRef) key() core.QueueKey {
	return core.QueueKey{Namespace: core.Namespace{Account: q.Account, Region: q.Region}, Name: core.QueueName(q.Name)}
}

// text is a reference in a parameter.
func (q queueRef) text() string { return q.Account + "/" + q.Region + "/" + q.Name }

// refs lists references, an empty list for none.
func refs(keys []core.QueueKey) []queueRef {
	list := make([]queueRef, len(keys))
	for i, k := range keys {
		list[i] = refOf(k)
	}
	return list
}

// maybe returns a reference, nil for no queue.
func maybe(k *core.QueueKey) *queueRef {
	if k == nil || *k == (core.QueueKey{}) {
		return nil
	}
	ref := refOf(*k)
	return &ref
}

type deadLetter struct {
	queueRef
	MaxReceives int `json:"maxReceives"`
}

type deadLetterAllow struct {
	DenyAll bool       `json:"denyAll"`
	Sources []queueRef `json:"sources"`
}

type settings struct {
	DelaySeconds      float64           `json:"delaySeconds"`
	VisibilitySeconds float64           `json:"visibilitySeconds"`
	RetentionSeconds  float64           `json:"retentionSeconds"`
	WaitSeconds       float64           `json:"waitSeconds"`
	MaxSizeBytes      int               `json:"maxSizeBytes"`
	FIFO              bool              `json:"fifo"`
	ContentDedup      bool              `json:"contentDedup"`
	DedupPerGroup     bool              `json:"dedupPerGroup"`
	GroupLimit        bool              `json:"groupLimit"`
	TenantRate        int               `json:"tenantRate"`
	DeadLetter        *deadLetter       `json:"deadLetter"`
	DeadLetterAllow   deadLetterAllow   `json:"deadLetterAllow"`
	Notes             map[string]string `json:"notes"`
}

// settingsPatch keeps apart what is absent from what is null.
type settingsPatch struct {
	DelaySeconds      *float64           `json:"delaySeconds"`
	VisibilitySeconds *float64           `json:"visibilitySeconds"`
	RetentionSeconds  *float64           `json:"retentionSeconds"`
	WaitSeconds       *float64           `json:"waitSeconds"`
	MaxSizeBytes      *int               `json:"maxSizeBytes"`
	FIFO              *bool              `json:"fifo"`
	ContentDedup      *bool              `json:"contentDedup"`
	DedupPerGroup     *bool              `json:"dedupPerGroup"`
	GroupLimit        *bool              `json:"groupLimit"`
	TenantRate        *int               `json:"tenantRate"`
	DeadLetter        jsontext.Value     `json:"deadLetter"`
	DeadLetterAllow   *deadLetterAllow   `json:"deadLetterAllow"`
	Notes             map[string]*string `json:"notes"`
	Tags              map[string]*string `json:"tags"`
}

type counts struct {
	Visible         int `json:"visible"`
	InFlight        int `json:"inFlight"`
	Delayed         int `json:"delayed"`
	Total           int `json:"total"`
	OverMaxReceives int `json:"overMaxReceives"`
}

func newCounts(visible, inFlight, delayed, worn int) counts {
	return counts{visible, inFlight, delayed, visible + inFlight + delayed, worn}
}

type queueShape struct {
	queueRef
	Speaks           []string          `json:"speaks"`
	FIFO             bool              `json:"fifo"`
	Created          string            `json:"created"`
	Modified         string            `json:"modified"`
	Counts           counts            `json:"counts"`
	OldestAt         *string           `json:"oldestAt"`
	OldestAgeSeconds *float64          `json:"oldestAgeSeconds"`
	WaitingReceivers int               `json:"waitingReceivers"`
	Settings         settings          `json:"settings"`
	Tags             map[string]string `json:"tags"`
}

type queueDetail struct {
	queueShape
	DeadLetterSources []queueRef `json:"deadLetterSources"`
	Running           *moveTask  `json:"running"`
}

type queuePage struct {
	Queues []queueShape `json:"queues"`
	Next   *string      `json:"next"`
	Total  int          `json:"total"`
}

type attribute struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Label string `json:"label"`
	Value string `json:"value"`
}

type trace struct {
	TraceID     string `json:"traceId"`
	XRay        string `json:"xray"`
	Traceparent string `json:"traceparent"`
	Tracestate  string `json:"tracestate"`
	Baggage     string `json:"baggage"`
}

type messageShape struct {
	ID              string      `json:"id"`
	Queue           queueRef    `json:"queue"`
	Sequence        uint64      `json:"sequence"`
	State           string      `json:"state"`
	VisibleAt       *string     `json:"visibleAt"`
	SentAt          string      `json:"sentAt"`
	EnteredAt       string      `json:"enteredAt"`
	ExpiresAt       string      `json:"expiresAt"`
	FirstReceivedAt *string     `json:"firstReceivedAt"`
	LastReceivedAt  *string     `json:"lastReceivedAt"`
	Receives        int         `json:"receives"`
	Group           string      `json:"group"`
	DeduplicationID string      `json:"deduplicationId"`
	Priority        int         `json:"priority"`
	Sender          string      `json:"sender"`
	Source          *queueRef   `json:"source"`
	Size            int         `json:"size"`
	Body            string      `json:"body"`
	BodyTruncated   bool        `json:"bodyTruncated"`
	BodyMD5         string      `json:"bodyMd5"`
	AttributesMD5   *string     `json:"attributesMd5"`
	Attributes      []attribute `json:"attributes"`
	Trace           *trace      `json:"trace"`
}

type messagePage struct {
	Messages []messageShape `json:"messages"`
	Next     *string        `json:"next"`
	Counts   counts         `json:"counts"`
	Now      string         `json:"now"`
}

type messageDetail struct {
	Message messageShape `json:"message"`
	Why     whyShape     `json:"why"`
}

type outgoing struct {
	Body            *string     `json:"body"`
	DelaySeconds    *float64    `json:"delaySeconds"`
	Priority        *int        `json:"priority"`
	Group           *string     `json:"group"`
	DeduplicationID *string     `json:"deduplicationId"`
	Attributes      []attribute `json:"attributes"`
	Traceparent     string      `json:"traceparent"`
	Tracestate      string      `json:"tracestate"`
	Baggage         string      `json:"baggage"`
	XRay            string      `json:"xray"`
}

type sentShape struct {
	ID        string `json:"id"`
	Sequence  uint64 `json:"sequence"`
	VisibleAt string `json:"visibleAt"`
	Duplicate bool   `json:"duplicate"`
}

type receiveRequest struct {
	Max               *int     `json:"max"`
	VisibilitySeconds *float64 `json:"visibilitySeconds"`
	WaitSeconds       *float64 `json:"waitSeconds"`
}

type receivedShape struct {
	Message messageShape `json:"message"`
	Receipt string       `json:"receipt"`
}

type receivedList struct {
	Messages []receivedShape `json:"messages"`
}

// destination names a queue; what is absent is that of another.
type destination struct {
	Account *string `json:"account"`
	Region  *string `json:"region"`
	Name    string  `json:"name"`
}

func (d destination) from(other core.QueueKey) core.QueueKey {
	key := other
	key.Name = core.QueueName(d.Name)
	if d.Account != nil {
		key.Namespace.Account = *d.Account
	}
	if d.Region != nil {
		key.Namespace.Region = *d.Region
	}
	return key
}

type eventShape struct {
	Number       uint64    `json:"number"`
	Kind         string    `json:"kind"`
	At           string    `json:"at"`
	Queue        *queueRef `json:"queue"`
	Other        *queueRef `json:"other"`
	Message      *string   `json:"message"`
	Sequence     uint64    `json:"sequence"`
	Group        string    `json:"group"`
	Receives     int       `json:"receives"`
	Until        *string   `json:"until"`
	TraceID      string    `json:"traceId"`
	Topic        *topicRef `json:"topic"`
	Subscription string    `json:"subscription"`
	Error        string    `json:"error"`
}

type timelineShape struct {
	Message   string       `json:"message"`
	Queue     *queueRef    `json:"queue"`
	Exists    bool         `json:"exists"`
	Events    []eventShape `json:"events"`
	Forgotten int          `json:"forgotten"`
	Linked    []string     `json:"linked"`
	TraceIDs  []string     `json:"traceIds"`
	Spans     []any        `json:"spans"`
	Now       string       `json:"now"`
}

type traceView struct {
	TraceID  string       `json:"traceId"`
	Messages []string     `json:"messages"`
	Events   []eventShape `json:"events"`
	Spans    []any        `json:"spans"`
}

type whyShape struct {
	Message        string    `json:"message"`
	Queue          *queueRef `json:"queue"`
	Reason         string    `json:"reason"`
	Deliverable    bool      `json:"deliverable"`
	Sentence       string    `json:"sentence"`
	Until          *string   `json:"until"`
	BlockedBy      *string   `json:"blockedBy"`
	Ahead          *int      `json:"ahead"`
	Receives       int       `json:"receives"`
	MaxReceives    *int      `json:"maxReceives"`
	LastReceivedAt *string   `json:"lastReceivedAt"`
	DeadLetter     *queueRef `json:"deadLetter"`
	Now            string    `json:"now"`
}

type clockShape struct {
	Now           string  `json:"now"`
	Machine       string  `json:"machine"`
	OffsetSeconds float64 `json:"offsetSeconds"`
	Frozen        bool    `json:"frozen"`
	Adjustable    bool    `json:"adjustable"`
}

type resetRequest struct {
	Scope string `json:"scope"`
	Bare  bool   `json:"bare"`
}

type snapshotShape struct {
	Name       string `json:"name"`
	Taken      string `json:"taken"`
	EngineTime string `json:"engineTime"`
	Records    int    `json:"records"`
	Bytes      int    `json:"bytes"`
	Kept       string `json:"kept"`
}

type snapshotList struct {
	Snapshots []snapshotShape `json:"snapshots"`
}

type moveTask struct {
	ID        string    `json:"id"`
	Source    queueRef  `json:"source"`
	Target    *queueRef `json:"target"`
	PerSecond int       `json:"perSecond"`
	Status    string    `json:"status"`
	Moved     int       `json:"moved"`
	ToMove    int       `json:"toMove"`
	Failure   string    `json:"failure"`
	Started   string    `json:"started"`
}

type moveTaskList struct {
	Moves []moveTask `json:"moves"`
}

type startMove struct {
	Target    *destination `json:"target"`
	PerSecond *int         `json:"perSecond"`
}

type topicRef queueRef

type topicShape struct {
	topicRef
	Created      string            `json:"created"`
	Modified     string            `json:"modified"`
	FIFO         bool              `json:"fifo"`
	Waiting      int               `json:"waiting"`
	MaxSizeBytes int               `json:"maxSizeBytes"`
	Notes        map[string]string `json:"notes"`
}

type topicPage struct {
	Topics []topicShape `json:"topics"`
	Next   *string      `json:"next"`
	Total  int          `json:"total"`
}

type endpointShape struct {
	Kind    string    `json:"kind"`
	Queue   *queueRef `json:"queue"`
	Address string    `json:"address"`
}

type subscriptionShape struct {
	Topic      topicRef      `json:"topic"`
	Name       string        `json:"name"`
	Created    string        `json:"created"`
	Modified   string        `json:"modified"`
	Endpoint   endpointShape `json:"endpoint"`
	Tag        string        `json:"tag"`
	Format     string        `json:"format"`
	Owner      string        `json:"owner"`
	Strategy   string        `json:"strategy"`
	DeadLetter *queueRef     `json:"deadLetter"`
}

type subscriptionPage struct {
	Subscriptions []subscriptionShape `json:"subscriptions"`
	Next          *string             `json:"next"`
}

type outboxEntry struct {
	ID           string            `json:"id"`
	Topic        topicRef          `json:"topic"`
	Subscription string            `json:"subscription"`
	Address      string            `json:"address"`
	At           string            `json:"at"`
	Body         string            `json:"body"`
	Tag          string            `json:"tag"`
	Attributes   []attribute       `json:"attributes"`
	Notes        map[string]string `json:"notes"`
	Trace        *trace            `json:"trace"`
}

type outboxPage struct {
	Outbox []outboxEntry `json:"outbox"`
}

type overviewShape struct {
	Version    string           `json:"version"`
	Now        string           `json:"now"`
	Clock      clockShape       `json:"clock"`
	Queues     int              `json:"queues"`
	Topics     int              `json:"topics"`
	Counts     counts           `json:"counts"`
	Events     overviewEvents   `json:"events"`
	Offers     []string         `json:"offers"`
	Endpoints  []string         `json:"endpoints"`
	Namespaces []namespaceShape `json:"namespaces"`
}

type namespaceShape struct {
	Account string   `json:"account"`
	Region  string   `json:"region"`
	Speaks  []string `json:"speaks"`
}

type overviewEvents struct {
	Last      uint64 `json:"last"`
	Dropped   int64  `json:"dropped"`
	Listeners int    `json:"listeners"`
	Messages  int    `json:"messages"`
}

type healthShape struct {
	Status  string `json:"status"`
	Version string `json:"version"`
}
