package migration

import (
	"fmt"
	"maps"
	"slices"
)

// expand adds the queues that SAM makes for the events of a function or state machine: one that is subscribed to a topic
// by way of a queue, and one for what could not be delivered. They are there where the function is. Documented: when it makes
// them, and that the second can be named.
func (t *template) expand() {
	for _, name := range slices.Sorted(maps.Keys(t.resources)) {
		kind, properties := t.resource(name)
		if kind != "AWS::Serverless::Function" && kind != "AWS::Serverless::StateMachine" {
			continue
		}
		events, _ := properties["Events"].(map[string]any)
		for _, event := range slices.Sorted(maps.Keys(events)) {
			fields, _ := events[event].(map[string]any)
			settings, _ := fields["Properties"].(map[string]any)
			if id := ownQueue(name+event, settings); id != "" && t.resources[id] == nil {
				function, _ := t.resources[name].(map[string]any)
				t.resources[id] = map[string]any{"Type": "AWS::SQS::Queue", "Condition": function["Condition"]}
				t.lines[id] = t.lines[name]
			}
		}
	}
}

// ownQueue is the name of the resource that SAM adds for an event; empty for none.
func ownQueue(event string, settings map[string]any) string {
	if isOnIn(settings["SqsSubscription"]) {
		return event + "Queue"
	}
	dead, _ := settings["DeadLetterConfig"].(map[string]any)
	if dead["Type"] != "SQS" {
		return ""
	}
	if id, ok := dead["QueueLogicalId"]; ok {
		return fmt.Sprint(id)
	}
	return event + "Queue"
}
