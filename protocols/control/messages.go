package control

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sluicemq/sluice/core"
)

var states = map[core.MessageState]string{
	core.Visible: "visible", core.Delayed: "delayed", core.InFlight: "inFlight",
}

func (a *API) listMessages(r *http.Request) (int, any, error) {
	p, key := newParameters(r), queueOf(r)
	b := core.BrowseRequest{
		Limit: p.number("limit", 50, 1, 500), Newest: p.oneOf("order", "oldest", "newest") == "newest",
		After: uint64(p.number("after", 0, 0, 1<<53)),
	}
	preview := p.number("preview", 1024, 0, 1<<16)
	for _, name := range p.list("state") {
		state, known := byName(states, name)
		if !known {
			p.fail(invalid("state", "state is %q, want visible, inFlight, delayed or several of them.", name))
		}
		b.States = append(b.States, state)
	}
	if p.err != nil {
		return 0, nil, p.err
	}
	found, more, err := a.engine.Browse(r.Context(), key, b)
	if err != nil {
		return 0, nil, err
	}
	s, err := a.engine.Status(key)
	if err != nil {
		return 0, nil, err
	}
	list := messagePage{
		Messages: make([]messageShape, len(found)), Now: stamp(a.broker.Now()),
		Counts: newCounts(s.Visible, s.InFlight, s.Delayed, s.Worn),
	}
	for i := range found {
		list.Messages[i] = shownMessage(&found[i], preview)
	}
	if more && len(found) > 0 {
		list.Next = new(strconv.FormatUint(found[len(found)-1].Sequence, 10))
	}
	return http.StatusOK, &list, nil
}

// whole is a preview of everything.
const whole = -1

func shownMessage(m *core.Seen, preview int) messageShape {
	body := m.Body
	if preview >= 0 && len(body) > preview {
		body = cut(body, preview)
	}
	return messageShape{
		ID: m.ID.String(), Queue: refOf(m.Queue), Sequence: m.Sequence, State: states[m.State], VisibleAt: stampIf(m.VisibleAt),
		SentAt: stamp(m.SentAt), EnteredAt: stamp(m.EnteredAt), ExpiresAt: stamp(m.ExpiresAt),
		FirstReceivedAt: stampIf(m.FirstReceivedAt), LastReceivedAt: stampIf(m.LastReceivedAt), Receives: m.Receives,
		Group: m.Group, DeduplicationID: m.DeduplicationID, Priority: m.Priority, Sender: m.Sender, Source: maybe(m.Source),
		Size: len(m.Body), Body: body, BodyTruncated: len(body) < len(m.Body), BodyMD5: m.Digest.String(),
		AttributesMD5: attributesDigest(m.Attributes), Attributes: shownAttributes(m.Attributes), Trace: shownTrace(m.Trace),
	}
}

// cut returns the first bytes of a text, without half a character at the end.
func cut(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

var attributeKinds = map[core.AttributeKind]string{
	core.Text: "text", core.Number: "number", core.Binary: "binary", core.Boolean: "boolean",
}

func shownAttributes(attributes []core.Attribute) []attribute {
	list := make([]attribute, len(attributes))
	for i, a := range attributes {
		list[i] = attribute{a.Name, attributeKinds[a.Kind], a.Label, string(a.Value)}
		if a.Kind == core.Binary {
			list[i].Value = base64.StdEncoding.EncodeToString(a.Value)
		}
	}
	return list
}

func shownTrace(t core.Trace) *trace {
	if t == (core.Trace{}) {
		return nil
	}
	return &trace{traceIDOf(t), t.XRay, t.Parent, t.State, t.Baggage}
}

// attributesDigest is the MD5 that clients of SQS compute: over the attributes in the order of their names, each with
// its name, type and value, every text behind its length. Documented.
func attributesDigest(attributes []core.Attribute) *string {
	if len(attributes) == 0 {
		return nil
	}
	sorted := slices.SortedFunc(slices.Values(attributes), func(a, b core.Attribute) int { return strings.Compare(a.Name, b.Name) })
	var b []byte
	text := func(s string) { b = append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...) }
	for i := range sorted {
		text(sorted[i].Name)
		text(dataType(&sorted[i]))
		b = append(b, map[bool]byte{false: 1, true: 2}[sorted[i].Kind == core.Binary])
		text(string(sorted[i].Value))
	}
	sum := md5.Sum(b)
	return new(hex.EncodeToString(sum[:]))
}

// dataType is the type of an attribute as SQS calls it.
func dataType(a *core.Attribute) string {
	name := [...]string{core.Text: "String", core.Number: "Number", core.Binary: "Binary", core.Boolean: "String.boolean"}[a.Kind]
	if a.Label != "" {
		name += "." + a.Label
	}
	return name
}

func (a *API) sendMessage(r *http.Request) (int, any, error) {
	key := queueOf(r)
	var in outgoing
	if err := read(r, true, &in); err != nil {
		return 0, nil, err
	}
	out, err := in.message(key)
	if err != nil {
		return 0, nil, err
	}
	sent, err := a.broker.Send(r.Context(), key, []core.Outgoing{out})
	if err == nil {
		err = sent[0].Err
	}
	if err != nil {
		return 0, nil, err
	}
	s := sent[0]
	return http.StatusCreated, &sentShape{s.ID.String(), s.Sequence, stamp(s.VisibleAt), s.Duplicate}, nil
}

// Limits of what is not limited by the engine. Documented: those of SQS.
const (
	maxAttributes = 10
	maxID         = 128
)

func (in *outgoing) message(key core.QueueKey) (core.Outgoing, error) {
	out := core.Outgoing{
		Priority: in.Priority, Group: in.Group, DeduplicationID: in.DeduplicationID, Sender: key.Namespace.Account,
		Trace: core.Trace{XRay: in.XRay, Parent: in.Traceparent, State: in.Tracestate, Baggage: in.Baggage},
	}
	switch {
	case in.Body == nil:
		return out, invalid("body", "A message needs a body.")
	case in.Group != nil && (*in.Group == "" || len(*in.Group) > maxID):
		return out, invalid("group", "A group has 1 to %d characters.", maxID)
	case in.DeduplicationID != nil && (*in.DeduplicationID == "" || len(*in.DeduplicationID) > maxID):
		return out, invalid("deduplicationId", "A deduplication id has 1 to %d characters.", maxID)
	case len(in.Attributes) > maxAttributes:
		return out, invalid("attributes", "A message has at most %d attributes.", maxAttributes)
	}
	out.Body = *in.Body
	var err error
	if out.Delay, err = duration("delaySeconds", in.DelaySeconds); err == nil {
		out.Attributes, err = readAttributes(in.Attributes)
	}
	return out, err
}

// readAttributes returns attributes in the order of their names, as all dialects give them to the engine.
func readAttributes(given []attribute) (list []core.Attribute, err error) {
	for i, a := range given {
		read, err := a.read()
		if err != nil {
			return nil, invalid(fmt.Sprintf("attributes/%d", i), "%s", err)
		}
		list = append(list, read)
	}
	slices.SortFunc(list, func(a, b core.Attribute) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(list); i++ {
		if list[i].Name == list[i-1].Name {
			return nil, invalid("attributes", "The attribute %s is there twice.", list[i].Name)
		}
	}
	return list, nil
}

func (a attribute) read() (core.Attribute, error) {
	out := core.Attribute{Name: a.Name, Label: a.Label, Value: []byte(a.Value)}
	if a.Name == "" || len(a.Name) > 256 {
		return out, fmt.Errorf("an attribute needs a name of up to 256 characters")
	}
	kind, known := byName(attributeKinds, a.Kind)
	if !known {
		return out, fmt.Errorf("the kind of the attribute %s is %q, want text, number, binary or boolean", a.Name, a.Kind)
	}
	out.Kind = kind
	if kind == core.Binary {
		value, err := base64.StdEncoding.DecodeString(a.Value)
		if err != nil {
			return out, fmt.Errorf("the value of the attribute %s is not base64", a.Name)
		}
		out.Value = value
	}
	return out, nil
}

func (a *API) receiveMessages(r *http.Request) (int, any, error) {
	key := queueOf(r)
	var in receiveRequest
	if err := read(r, false, &in); err != nil {
		return 0, nil, err
	}
	q := core.ReceiveRequest{Max: in.Max}
	var err error
	if q.Visibility, err = duration("visibilitySeconds", in.VisibilitySeconds); err != nil {
		return 0, nil, err
	}
	if q.Wait, err = duration("waitSeconds", in.WaitSeconds); err != nil {
		return 0, nil, err
	}
	if q.Wait == nil {
		q.Wait = new(time.Duration(0))
	}
	got, err := a.broker.Receive(r.Context(), key, q)
	if err != nil {
		return 0, nil, err
	}
	list := receivedList{Messages: make([]receivedShape, 0, len(got))}
	for i := range got {
		seen, err := a.engine.Look(core.Place{Queue: key, Sequence: got[i].Sequence})
		if err != nil { // gone in this very moment: it was received all the same
			seen = core.Seen{Message: got[i].Message, Queue: key, State: core.InFlight, VisibleAt: got[i].VisibleAt, EnteredAt: got[i].SentAt, ExpiresAt: got[i].SentAt}
		}
		list.Messages = append(list.Messages, receivedShape{shownMessage(&seen, whole), string(got[i].Receipt)})
	}
	return http.StatusOK, &list, nil
}

// find finds the message that a path names.
func (a *API) find(r *http.Request) (core.Place, error) {
	id, err := readID(r.PathValue("message"))
	if err != nil {
		return core.Place{}, err
	}
	hints, err := a.hints(r, id)
	if err != nil {
		return core.Place{}, err
	}
	return a.engine.Find(r.Context(), id, hints...)
}

// hints are where a message may be: where it was last seen, and where the request says.
func (a *API) hints(r *http.Request, id core.MessageID) (hints []core.Place, err error) {
	if p, ok := a.watcher.place(id); ok {
		hints = append(hints, p)
	}
	if text := r.URL.Query().Get("queue"); text != "" {
		ref, err := readRef("queue", text)
		if err != nil {
			return nil, err
		}
		hints = append(hints, core.Place{Queue: ref.key()})
	}
	return hints, nil
}

func (a *API) getMessage(r *http.Request) (int, any, error) {
	p, err := a.find(r)
	if err != nil {
		return 0, nil, err
	}
	seen, err := a.engine.Look(p)
	if err != nil {
		return 0, nil, err
	}
	x, err := a.engine.Explain(p, a.o.InFlightLimit())
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, &messageDetail{shownMessage(&seen, whole), shownWhy(&x)}, nil
}

func (a *API) deleteMessage(r *http.Request) (int, any, error) {
	p, err := a.find(r)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusNoContent, nil, a.engine.Discard(p)
}

func (a *API) showMessage(r *http.Request) (int, any, error) {
	p, err := a.find(r)
	if err == nil {
		err = a.engine.Reveal(p)
	}
	if err != nil {
		return 0, nil, err
	}
	return a.look(p)
}

func (a *API) moveMessage(r *http.Request) (int, any, error) {
	var in destination
	if err := read(r, true, &in); err != nil {
		return 0, nil, err
	}
	p, err := a.find(r)
	if err == nil {
		p, err = a.engine.Transfer(p, in.from(p.Queue))
	}
	if err != nil {
		return 0, nil, err
	}
	return a.look(p)
}

func (a *API) look(p core.Place) (int, any, error) {
	seen, err := a.engine.Look(p)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, new(shownMessage(&seen, whole)), nil
}
