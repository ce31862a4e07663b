package sqs

import (
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
	access "github.com/sluicemq/sluice/protocols/policy"
)

// user is whom an access key belongs to.
type user struct {
	account string // as the provider sees it
	name    string // empty: the key is that of the account itself
	policy  *access.Document
}

// newUsers reads the policies of the users of a site, if it verifies keys. What is no policy allows nothing.
func newUsers(site *protocols.Site) map[string]*user {
	if !site.Verify {
		return nil
	}
	users := make(map[string]*user, len(site.Credentials))
	for key, c := range site.Credentials {
		u := &user{account: c.Account, name: c.User}
		if u.account == "" {
			u.account = site.SQS.Account
		}
		if c.Policy != "" {
			u.policy, _ = access.ParseIdentity(c.Policy)
			if u.policy == nil {
				u.policy = &access.Document{}
			}
		}
		users[key] = u
	}
	return users
}

// arn returns the resource name of the user in a region's part of the world.
func (u *user) arn(region string) string {
	name := "root"
	if u.name != "" {
		name = "user/" + u.name
	}
	return "arn:" + partition(region) + ":iam::" + u.account + ":" + name
}

// actionOf returns the action that a policy has to allow for an operation. Documented: batches need what the single forms
// need.
func actionOf(operation string) string { return strings.TrimSuffix(operation, "Batch") }

// admit notes what a request wants, and refuses unsigned ones that nobody can allow. Recorded: that a policy for
// everybody lets them in.
func (s *service) admit(from *caller, operation string) error {
	from.operation = operation
	if s.site.Verify && from.user == nil && !slices.Contains(grantable, actionOf(operation)) {
		return errUnsigned
	}
	return nil
}

// own refuses a queue to which the caller may not do what it wants, if keys are verified: of another account's queues the
// policy has to allow it, and of its own queues it must not deny it. The policy of a user has to allow it as well, unless
// the queue of its own account does. Documented: this order of precedence, and which operations are never granted.
func (s *service) own(from *caller, key core.QueueKey) (core.QueueKey, error) {
	if !s.site.Verify {
		return key, nil
	}
	here := s.site.Inside(from.namespace)
	if key.Namespace.Region != here.Region {
		return key, accessDenied.say("Access to the resource %s is denied.", s.queueURL(from, key)) // Recorded until 2021: the text
	}
	ofQueue, ofUser := s.ofQueue(from, key), access.Allowed
	if from.user == nil {
		if ofQueue == access.Allowed {
			return key, nil
		}
		return key, errUnsigned
	}
	if from.user.policy != nil {
		ofUser = from.user.policy.Decide(s.request(from, key))
	}
	if reason := refusal(ofQueue, ofUser, key.Namespace.Account == here.Account, actionOf(from.operation)); reason != "" {
		return key, s.denied(from, key, reason)
	}
	return key, nil
}

// may refuses a queue to which the caller may not do another operation, which is part of what it wants.
func (s *service) may(from *caller, key core.QueueKey, operation string) error {
	also := *from
	also.operation = operation
	_, err := s.own(&also, key)
	return err
}

// The reasons of refusals. Recorded 2026: the first two. Quoted: the last. UNVERIFIED: the third, which is that of other
// services.
const (
	noIdentity   = "because no identity-based policy allows the %s action"
	denyResource = "with an explicit deny in a resource-based policy"
	denyIdentity = "with an explicit deny in an identity-based policy"
	noResource   = "because no resource-based policy allows the %s action"
)

// refusal returns why a request is refused; empty if it is not.
func refusal(ofQueue, ofUser access.Decision, same bool, action string) string {
	granted := ofQueue == access.Allowed && slices.Contains(grantable, action)
	switch {
	case ofQueue == access.Denied:
		return denyResource
	case ofUser == access.Denied:
		return denyIdentity
	case same && (ofUser == access.Allowed || ofQueue == access.Allowed):
		return ""
	case ofUser != access.Allowed:
		return noIdentity
	case !granted: // and the queue is another account's
		return noResource
	}
	return ""
}

// denied words a refusal. Recorded 2026: the action is in lower case, and the text is the same in both protocols.
func (s *service) denied(from *caller, key core.QueueKey, reason string) *fault {
	action := "sqs:" + strings.ToLower(actionOf(from.operation))
	return accessDenied.say("User: %s is not authorized to perform: %s on resource: %s %s",
		from.user.arn(from.namespace.Region), action, s.arn(key), strings.ReplaceAll(reason, "%s", action))
}

// ofQueue returns what the policy of a queue says. One that cannot be read says nothing.
func (s *service) ofQueue(from *caller, key core.QueueKey) access.Decision {
	q, err := s.broker.Queue(from.request.Context(), key)
	text := q.Settings.Notes[notePolicy]
	if err != nil || text == "" {
		return access.Silent
	}
	d, err := access.ParseResource(text)
	if err != nil {
		return access.Silent
	}
	return d.Decide(s.request(from, key))
}

// request describes what a caller wants to policies. Keys without values are those of requests that services make.
func (s *service) request(from *caller, key core.QueueKey) *access.Request {
	now := s.broker.Now().UTC()
	r := &access.Request{
		Action: "sqs:" + actionOf(from.operation), Resource: s.arn(key),
		Values: map[string][]string{
			"aws:currenttime":      {now.Format(time.RFC3339)},
			"aws:epochtime":        {epochSeconds(now)},
			"aws:principalaccount": nil,
			"aws:principalarn":     nil,
			"aws:principaltype":    {"Anonymous"},
			"aws:requestedregion":  {from.namespace.Region},
			"aws:securetransport":  {strconv.FormatBool(from.request.TLS != nil)},
			"aws:sourceaccount":    nil,
			"aws:sourcearn":        nil,
			"aws:sourceip":         {addressOf(from.request.RemoteAddr)},
			"aws:useragent":        {from.request.UserAgent()},
			"aws:username":         nil,
			"aws:viaawsservice":    {"false"},
		},
	}
	if u := from.user; u != nil {
		r.Account, r.Principal = u.account, u.arn(from.namespace.Region)
		r.Values["aws:principalaccount"] = []string{r.Account}
		r.Values["aws:principalarn"] = []string{r.Principal}
		r.Values["aws:principaltype"] = []string{"Account"}
		if u.name != "" {
			r.Values["aws:username"], r.Values["aws:principaltype"] = []string{u.name}, []string{"User"}
		}
	}
	return r
}

// addressOf returns the host of an address with a port.
func addressOf(remote string) string {
	if host, _, err := net.SplitHostPort(remote); err == nil {
		return host
	}
	return remote
}
