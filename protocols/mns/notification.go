package mns

import (
	"strconv"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/internal/wire"
)

// Render returns how a publication becomes the message of a queue that has subscribed, for core.Options. It needs no
// more of the site than its bridges.
//
// Documented and recorded: the message is one of its own, with another id, the queue's delay and the usual priority. User
// properties are those of the publication, the body is a notification, and nothing of it is base64.
func Render(site *protocols.Site) func(core.Delivery) core.Outgoing {
	return func(d core.Delivery) core.Outgoing {
		n := notificationOf(&d, site)
		return core.Outgoing{
			Body:       n.body(d.Subscription.Settings.Format),
			Attributes: d.Attributes,
			Trace:      d.Trace,
			Sender:     d.Sender,
			Group:      d.Group,
		}
	}
}

// notification is what a subscriber is told of a publication.
type notification struct {
	topicOwner, topicName, subscriber, subscription string
	id, message, md5, tag, publishTime              string
}

func notificationOf(d *core.Delivery, site *protocols.Site) notification {
	return notification{
		topicOwner:   site.Outside(d.Topic.Namespace).Account,
		topicName:    string(d.Topic.Name),
		subscriber:   d.Subscription.Settings.Owner,
		subscription: string(d.Subscription.Name),
		id:           formatID(d.ID),
		message:      d.Body,
		md5:          digest(d.Body),
		tag:          d.Tag,
		publishTime:  strconv.FormatInt(int64(epochMillisOf(d.At)), 10),
	}
}

// body writes a notification in a subscription's form.
// UNVERIFIED: STREAM, of which only the name is known, is taken for SIMPLIFIED.
func (n *notification) body(format string) string {
	switch format {
	case formatJSON:
		return n.json()
	case formatSimplified, formatStream:
		return n.message
	}
	return n.xml()
}

// part is a member or an element of a notification; it is left out if it is optional and empty.
type part struct {
	name, value string
	optional    bool
}

// json writes members in the recorded order, all of them texts, without white space.
// UNVERIFIED: the place of the tag, which no recording has.
func (n *notification) json() string {
	b := []byte{'{'}
	for _, p := range []part{
		{"TopicOwner", n.topicOwner, false},
		{"Message", n.message, false},
		{"Subscriber", n.subscriber, false},
		{"PublishTime", n.publishTime, false},
		{"SubscriptionName", n.subscription, false},
		{"MessageMD5", n.md5, false},
		{"MessageTag", n.tag, true},
		{"TopicName", n.topicName, false},
		{"MessageId", n.id, false},
	} {
		if p.optional && p.value == "" {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = wire.AppendJSONText(b, p.name)
		b = wire.AppendJSONText(append(b, ':'), p.value)
	}
	return string(append(b, '}'))
}

// xml writes elements in the order of the reference page, which misspells xmlns.
// UNVERIFIED: white space, and that there is no element for a tag that was not given.
func (n *notification) xml() string {
	b := []byte(`<?xml version="1.0" encoding="utf-8"?>` + "\n" + `<Notification xmlns="http://mns.aliyuncs.com/doc/v1/">` + "\n")
	for _, p := range []part{
		{"TopicOwner", n.topicOwner, false},
		{"TopicName", n.topicName, false},
		{"Subscriber", n.subscriber, false},
		{"SubscriptionName", n.subscription, false},
		{"MessageId", n.id, false},
		{"Message", n.message, false},
		{"MessageMD5", n.md5, false},
		{"MessageTag", n.tag, true},
		{"PublishTime", n.publishTime, false},
	} {
		if p.optional && p.value == "" {
			continue
		}
		b = appendText(appendOpen(b, p.name, 1), p.value)
		b = append(appendClose(b, p.name), '\n')
	}
	return string(appendClose(b, "Notification"))
}
