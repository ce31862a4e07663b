package mns

import (
	"cmp"
	"encoding/base64"
	"slices"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

// propertyTypes are the types of user properties.
var propertyTypes = map[string]core.AttributeKind{
	"STRING":  core.Text,
	"NUMBER":  core.Number,
	"BOOLEAN": core.Boolean,
	"BINARY":  core.Binary,
}

// typeNames are the types by kind. Labels that another provider allows beside a kind are not shown here.
var typeNames = [...]string{core.Text: "STRING", core.Number: "NUMBER", core.Boolean: "BOOLEAN", core.Binary: "BINARY"}

// attributesFrom reads user properties. Of several with one name the last counts.
func attributesFrom(properties []property) ([]core.Attribute, error) {
	var attributes []core.Attribute
	for _, p := range properties {
		a, err := attributeFrom(p)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(attributes, func(b core.Attribute) bool { return b.Name == a.Name }); i >= 0 {
			attributes[i] = a
			continue
		}
		attributes = append(attributes, a)
	}
	return attributes, nil
}

// attributeFrom reads a user property. Binary values are base64 on the wire.
// UNVERIFIED: that the service refuses properties without name, value or a type that it knows; it does not say what it
// checks. Numbers and booleans are taken as they are.
func attributeFrom(p property) (core.Attribute, error) {
	kind, known := propertyTypes[p.Type]
	switch {
	case p.Name == "":
		return core.Attribute{}, notInSchema("Name")
	case p.Value == nil:
		return core.Attribute{}, notInSchema("Value")
	case !known:
		return core.Attribute{}, notInSchema("Type")
	}
	value := []byte(*p.Value)
	if kind == core.Binary {
		raw, err := base64.StdEncoding.DecodeString(*p.Value)
		if err != nil {
			return core.Attribute{}, notInSchema("Value")
		}
		value = raw
	}
	return core.Attribute{Name: p.Name, Kind: kind, Value: value}, nil
}

func propertiesOf(attributes []core.Attribute) []property {
	if len(attributes) == 0 {
		return nil
	}
	properties := make([]property, len(attributes))
	for i, a := range attributes {
		value := string(a.Value)
		if a.Kind == core.Binary {
			value = base64.StdEncoding.EncodeToString(a.Value)
		}
		properties[i] = property{a.Name, &value, typeNames[a.Kind]}
	}
	return properties
}

// traceFrom reads the system properties that a sender may set. Others are the service's own and are not taken from
// senders. Without a trace there it is the one of the user properties, or else that of the request: few clients can set
// system properties. UNVERIFIED: that receivers are shown such a trace as if it had been a system property.
//
// X-Ray's form is what receivers in other protocols get.
func (s *service) traceFrom(system, user []property) core.Trace {
	t := core.Trace{Parent: propertyOf(system, "traceparent"), State: propertyOf(system, "tracestate"), Baggage: propertyOf(system, "baggage")}
	if t.Parent == "" {
		carried := protocols.CarriedTrace(func(name string) string { return propertyOf(user, name) }, "")
		if carried.Parent == "" {
			carried = protocols.RequestTrace(s.request)
		}
		if carried.Parent != "" {
			t = core.Trace{Parent: carried.Parent, State: cmp.Or(t.State, carried.State), Baggage: cmp.Or(t.Baggage, carried.Baggage)}
		}
	}
	t.XRay = protocols.XRayOf(t.Parent)
	return t
}

// propertyOf returns the value of a property, "" if there is none. Of several with one name the last counts.
func propertyOf(properties []property, name string) string {
	for _, p := range slices.Backward(properties) {
		if p.Name == name && p.Value != nil {
			return *p.Value
		}
	}
	return ""
}

// systemProperties are the trace of a message and, for a dead letter, where it comes from. The Java client refuses
// names that it does not know, so there are no others.
func (s *service) systemProperties(m *core.Message) []property {
	var properties []property
	add := func(name, value string) {
		if value != "" {
			properties = append(properties, property{name, &value, "STRING"})
		}
	}
	add("traceparent", m.Trace.Parent)
	add("tracestate", m.Trace.State)
	add("baggage", m.Trace.Baggage)
	if m.Source != nil {
		// UNVERIFIED: names are documented, values and order are not.
		add("DLQMessageType", "NORMAL")
		add("DLQSourceArn", s.arn(*m.Source))
		add("DLQOriginMessageId", formatID(m.ID))
	}
	return properties
}

// arn names a queue of the caller's account and region, which is where dead letters come from.
func (s *service) arn(queue core.QueueKey) string {
	return "acs:mns:" + s.outside.Region + ":" + s.outside.Account + ":" + queuesPath + "/" + string(queue.Name)
}
