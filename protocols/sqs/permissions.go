package sqs

import (
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols/internal/wire"
)

// What AddPermission may grant, and what only the owner of a queue may do (transcribed).
var (
	grantable = []string{
		"*", "ChangeMessageVisibility", "DeleteMessage", "GetQueueAttributes", "GetQueueUrl",
		"ListDeadLetterSourceQueues", "PurgeQueue", "ReceiveMessage", "SendMessage",
	}
	ownersOnly = []string{
		"AddPermission", "CancelMessageMoveTask", "CreateQueue", "DeleteQueue", "ListMessageMoveTasks", "ListQueueTags",
		"ListQueues", "RemovePermission", "SetQueueAttributes", "StartMessageMoveTask", "TagQueue", "UntagQueue",
	}
)

// addPermission adds a statement to the queue's policy. The same label with the same content again changes nothing
// (seen in a run against the real service, 2026-05).
func (s *service) addPermission(ctx context.Context, from *caller, in *addPermissionInput) error {
	key, err := s.queue(from, in.QueueURL)
	if err != nil {
		return err
	}
	return s.broker.Amend(ctx, key, func(q core.QueueInfo) (core.Patch, error) {
		if err := checkPermission(in); err != nil {
			return core.Patch{}, err
		}
		statement := s.statement(q.Key, in)
		p := s.policyOf(q)
		if at := p.labelled(*in.Label); at >= 0 {
			if sameJSON(string(p.statements[at]), string(statement)) {
				return core.Patch{}, nil
			}
			return core.Patch{}, invalid(*in.Label, "Label", "Already exists.") // Recorded
		}
		p.statements = append(p.statements, statement)
		if n := len(p.statements); n > maxStatements {
			return core.Patch{}, overLimit.say("%d Statements were found, maximum allowed is 20.", n)
		}
		text := p.String()
		if len(text) > maxPolicy {
			return core.Patch{}, overLimit.say("The policy has %d bytes, maximum allowed is %d.", len(text), maxPolicy) // UNVERIFIED: code and text
		}
		return core.Patch{Notes: map[string]*string{notePolicy: &text}}, nil
	})
}

func checkPermission(in *addPermissionInput) error {
	if err := checkLabel(in.Label); err != nil {
		return err
	}
	if len(in.Actions) == 0 {
		return missing("ActionName")
	}
	if n := len(in.Actions); n > maxActions {
		return overLimit.say("%d Actions were found, maximum allowed is 7.", n)
	}
	for _, action := range in.Actions {
		switch {
		case slices.Contains(ownersOnly, action):
			return invalid("SQS:"+action, "ActionName", "Only the queue owner is allowed to invoke this action.")
		case !slices.Contains(grantable, action):
			return invalid("SQS:"+action, "ActionName", "Please refer to the appropriate WSDL for a list of valid actions.")
		}
	}
	if n := len(in.Accounts); n > maxPrincipals {
		return overLimit.say("%d Principals were found, maximum allowed is %d.", n, maxPrincipals) // UNVERIFIED: code and text
	}
	unknown := func(account string) bool { return !isAccount(account) }
	if len(in.Accounts) == 0 || slices.ContainsFunc(in.Accounts, unknown) {
		return invalid("["+strings.Join(in.Accounts, ", ")+"]", "PrincipalId", "Unable to verify.")
	}
	return nil
}

func checkLabel(label *string) error {
	if label == nil || *label == "" {
		return missing("Label")
	}
	if !isName(*label, 80) {
		// The rule is documented. UNVERIFIED: the text.
		return invalid(*label, "Label", "Label can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length.")
	}
	return nil
}

// policyOf returns a queue's policy, or the empty one that AddPermission starts with (Recorded 2024-04-30).
func (s *service) policyOf(q core.QueueInfo) policy {
	if p, ok := parsePolicy(q.Settings.Notes[notePolicy]); ok {
		return p
	}
	return policy{object: object{
		{"Version", jsontext.Value(`"2008-10-17"`)},
		{"Id", wire.AppendJSONText(nil, s.arn(q.Key)+"/SQSDefaultPolicy")},
		{"Statement", nil},
	}}
}

// statement writes what is granted: one account or action as a text, several as a list.
func (s *service) statement(key core.QueueKey, in *addPermissionInput) jsontext.Value {
	accounts := make([]string, len(in.Accounts))
	for i, account := range in.Accounts {
		accounts[i] = "arn:" + partition(s.outside(key.Namespace).Region) + ":iam::" + account + ":root"
	}
	actions := make([]string, len(in.Actions))
	for i, action := range in.Actions {
		actions[i] = "SQS:" + action
	}
	b := wire.AppendJSONText([]byte(`{"Sid":`), *in.Label)
	b = appendOneOrMore(append(b, `,"Effect":"Allow","Principal":{"AWS":`...), accounts)
	b = appendOneOrMore(append(b, `},"Action":`...), actions)
	b = wire.AppendJSONText(append(b, `,"Resource":`...), s.arn(key))
	return append(b, '}')
}

func appendOneOrMore(b []byte, texts []string) []byte {
	if len(texts) == 1 {
		return wire.AppendJSONText(b, texts[0])
	}
	values := make([]jsontext.Value, len(texts))
	for i, text := range texts {
		values[i] = wire.AppendJSONText(nil, text)
	}
	return appendList(b, values)
}

// removePermission removes a statement, and with the last one the policy (Recorded 2024-04-30).
func (s *service) removePermission(ctx context.Context, from *caller, in *removePermissionInput) error {
	key, err := s.queue(from, in.QueueURL)
	if err != nil {
		return err
	}
	return s.broker.Amend(ctx, key, func(q core.QueueInfo) (core.Patch, error) {
		if in.Label == nil || *in.Label == "" {
			return core.Patch{}, missing("Label")
		}
		text := q.Settings.Notes[notePolicy]
		p, _ := parsePolicy(text)
		at := p.labelled(*in.Label)
		switch {
		case text == "":
			return core.Patch{}, invalid(*in.Label, "Label", "can't find label.") // Recorded
		case at < 0:
			return core.Patch{}, invalid(*in.Label, "Label", "can't find label on existing policy.")
		case len(p.statements) == 1:
			return core.Patch{Notes: map[string]*string{notePolicy: nil}}, nil
		}
		p.statements = slices.Delete(p.statements, at, at+1)
		text = p.String()
		return core.Patch{Notes: map[string]*string{notePolicy: &text}}, nil
	})
}
