package control

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluicemq/sluice/core"
)

// problem is an error of this API.
type problem struct {
	status        int
	code, message string
	field         string
}

// Error returns the sentence.
func (p *problem) Error() string { return p.message }

// invalid is a request that is wrong in one of its members or parameters.
func invalid(field, format string, args ...any) error {
	return &problem{http.StatusBadRequest, "Invalid", fmt.Sprintf(format, args...), field}
}

func conflict(code, format string, args ...any) error {
	return &problem{http.StatusConflict, code, fmt.Sprintf(format, args...), ""}
}

// fault is how a kind of error of the engine is told.
type fault struct {
	status  int
	code    string
	message string
}

const (
	missing = http.StatusNotFound
	wrong   = http.StatusBadRequest
	clash   = http.StatusConflict
)

// faults has a row for each kind.
var faults = map[core.Kind]fault{
	core.Internal:                {http.StatusInternalServerError, "Internal", "Something went wrong in the server; its log says what."},
	core.QueueNotFound:           {missing, "QueueNotFound", "There is no such queue."},
	core.QueueExists:             {clash, "Conflict", "The queue is there already, with another value of a setting."},
	core.QueueDeletedRecently:    {clash, "QueueDeletedRecently", "A queue of that name was deleted a moment ago."},
	core.PurgeInProgress:         {clash, "PurgeInProgress", "The queue was purged a moment ago."},
	core.TooManyTags:             {wrong, "Invalid", "The queue would have too many tags."},
	core.OutOfRange:              {wrong, "Invalid", "The value is out of range."},
	core.NotForQueueType:         {wrong, "Invalid", "That cannot be given for a queue of this type."},
	core.MessageTooLarge:         {wrong, "MessageTooLarge", "The message is larger than the queue takes."},
	core.GroupMissing:            {wrong, "Invalid", "A message to a FIFO queue needs a group."},
	core.DeduplicationIDMissing:  {wrong, "Invalid", "A message to this FIFO queue needs a deduplication id."},
	core.ReceiptInvalid:          {wrong, "ReceiptInvalid", "The receipt was never handed out for this queue."},
	core.ReceiptExpired:          {clash, "ReceiptExpired", "The delivery of the receipt is over."},
	core.MessageGone:             {missing, "MessageNotFound", "There is no such message in any queue."},
	core.VisibilityBeyondTotal:   {wrong, "Invalid", "The message would stay hidden for too long."},
	core.TooManyInFlight:         {clash, "TooManyInFlight", "The queue has as many messages in flight as it may."},
	core.AttemptInvalid:          {wrong, "Invalid", "The receive attempt cannot be repeated."},
	core.RedriveTargetNotFound:   {wrong, "DeadLetterNotFound", "The dead-letter queue does not exist."},
	core.RedriveTargetType:       {wrong, "Invalid", "The dead-letter queue is of another type than the queue."},
	core.RedriveDenied:           {clash, "DeadLetterDenied", "The dead-letter queue does not allow the queue to use it."},
	core.MoveSourceNotDeadLetter: {clash, "NotADeadLetterQueue", "The queue is not the dead-letter queue of any queue."},
	core.MoveSourceNotFound:      {missing, "QueueNotFound", "There is no such queue."},
	core.MoveTargetNotFound:      {wrong, "TargetNotFound", "The queue to move to does not exist."},
	core.MoveTargetType:          {wrong, "Invalid", "The queue to move to is of another type."},
	core.MoveTargetIsSource:      {wrong, "Invalid", "The queue to move to is the one to move from."},
	core.MoveRunning:             {clash, "MoveRunning", "Messages are being moved out of the queue already."},
	core.MoveNotFound:            {missing, "MoveNotFound", "There is no such move task."},
	core.MoveNotRunning:          {clash, "MoveNotRunning", "The move task has ended already."},
	core.TopicNotFound:           {missing, "TopicNotFound", "There is no such topic."},
	core.TopicExists:             {clash, "Conflict", "The topic is there already, with another value of a setting."},
	core.SubscriptionNotFound:    {missing, "SubscriptionNotFound", "There is no such subscription."},
	core.SubscriptionExists:      {clash, "Conflict", "The subscription is there already, with another value of a setting."},
	core.SubscriptionTargetType:  {clash, "Conflict", "A FIFO topic has no other subscriptions than those of FIFO queues."},
	core.TopicDeletedRecently:    {clash, "TopicDeletedRecently", "A topic of that name was deleted a moment ago."},
	core.SubscriptionLimit:       {clash, "TooManySubscriptions", "The topic has as many subscriptions as it may."},
}

// fieldNames are the members in which the engine's fields are given.
var fieldNames = map[core.Field]string{ //nolint:exhaustive // the other fields are no members of this API
	core.QueueDelay: "delaySeconds", core.QueueVisibility: "visibilitySeconds", core.QueueRetention: "retentionSeconds",
	core.QueueWait: "waitSeconds", core.QueueMaxSize: "maxSizeBytes", core.QueueFIFO: "fifo",
	core.QueueContentDedup: "contentDedup", core.QueueDedupScope: "dedupPerGroup", core.QueueGroupLimit: "groupLimit",
	core.QueueTenantRate: "tenantRate", core.QueueRedrive: "deadLetter", core.QueueRedriveAllow: "deadLetterAllow",
	core.QueueNote: "notes", core.MessageDelay: "delaySeconds", core.MessagePriority: "priority", core.MessageGroup: "group",
	core.MessageDeduplicationID: "deduplicationId", core.ReceiveMax: "max", core.ReceiveVisibility: "visibilitySeconds",
	core.ReceiveWait: "waitSeconds", core.MoveRate: "perSecond",
}

// explainError turns an error of the engine into one of this API.
func explainError(err error) *problem {
	if p, ok := errors.AsType[*problem](err); ok {
		return p
	}
	e, ok := errors.AsType[*core.Error](err)
	if !ok {
		e = &core.Error{Kind: core.Internal, Err: err}
	}
	f := faults[e.Kind]
	p := &problem{f.status, f.code, f.message, fieldNames[e.Field]}
	if e.Kind == core.OutOfRange {
		p.message = fmt.Sprintf("%s is %s, want %s to %s.", p.field, spoken(e.Value), spoken(e.Min), spoken(e.Max))
	}
	if e.Kind == core.MessageTooLarge {
		p.message = fmt.Sprintf("The message has %v bytes, the queue takes %v.", e.Value, e.Max)
	}
	return p
}

// spoken is a value as it is given in a request.
func spoken(v any) string {
	if d, ok := v.(time.Duration); ok {
		return fmt.Sprint(d.Seconds())
	}
	return fmt.Sprint(v)
}

type errorAnswer struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Field   string `json:"field,omitzero"`
	} `json:"error"`
}

// fail answers with an error.
func (a *API) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := explainError(err)
	if p.status == http.StatusInternalServerError {
		if r.Context().Err() != nil {
			return // nobody waits for it any more
		}
		a.o.OnFault(fmt.Errorf("%s %s: %w", r.Method, r.URL.Path, err))
	}
	var answer errorAnswer
	answer.Error.Code, answer.Error.Message, answer.Error.Field = p.code, p.message, p.field
	a.answer(w, p.status, &answer)
}

// answer writes an answer.
func (a *API) answer(w http.ResponseWriter, status int, answer any) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if answer == nil {
		w.WriteHeader(status)
		return
	}
	body, err := json.Marshal(answer, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		a.o.OnFault(err)
		status, body = http.StatusInternalServerError, []byte(`{"error":{"code":"Internal","message":"The answer cannot be written."}}`)
	}
	h.Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}
