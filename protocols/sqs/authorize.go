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

// user is whom an access key belongs to: an account, one of its users, or a session of one of its roles.
type user struct {
	account       string // as the provider sees it
	name          string // empty: of no user
	role, session string // empty: of no role
	temporary     bool
	policy        *access.Document
}

// newUsers reads the policies of the users of a site, if it verifies keys. What is no policy allows nothing.
func newUsers(site *protocols.Site) map[string]*user {
	if !site.Verify {
		return nil
	}
	users := make(map[string]*user, len(site.Credentials))
	for key, c := range site.Credentials {
		u := &user{account: c.Account, name: c.User, role: c.Role, session: c.Session, temporary: c.Role != "" || c.SessionToken != ""}
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

// arn returns the resource name of the user in a region's part of the world. Recorded 2026: that of a session is in the
// text of a refusal.
func (u *user) arn(region string) string {
	switch {
	case u.role != "":
		return "arn:" + partition(region) + ":sts::" + u.account + ":assumed-role/" + u.role + "/" + u.session
	case u.name != "":
		return u.identity(region, "user/"+u.name)
	}
	return u.identity(region, "root")
}

func (u *user) identity(region, name string) string {
	return "arn:" + partition(region) + ":iam::" + u.account + ":" + name
}

// describe enters the user into a request. Documented: which keys a request has by what signs it, and that the resource
// name of a session is, as aws:PrincipalArn, that of its role.
func (u *user) describe(r *access.Request, region string) {
	arn, kind := u.arn(region), "Account"
	r.Account, r.Principals = u.account, []string{arn}
	switch {
	case u.role != "":
		arn, kind = u.identity(region, "role/"+u.role), "AssumedRole"
		r.Principals = append(r.Principals, arn)
	case u.name != "":
		kind = "User"
		r.Values["aws:username"] = []string{u.name}
	}
	r.Values["aws:principalaccount"], r.Values["aws:principalarn"], r.Values["aws:principaltype"] = []string{u.account}, []string{arn}, []string{kind}
	if u.temporary { // when it was issued is not known
		delete(r.Values, "aws:tokenissuetime")
		r.Values["aws:multifactorauthpresent"] = []string{"false"}
	}
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
	wanted, policy := s.request(from, key)
	ofQueue, ofUser := ofQueue(policy, wanted), access.Allowed
	if from.user == nil {
		if ofQueue == access.Allowed {
			return key, nil
		}
		return key, errUnsigned
	}
	if from.user.policy != nil {
		ofUser = from.user.policy.Decide(wanted)
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
	granted := (ofQueue == access.Allowed || ofQueue == access.Delegated) && slices.Contains(grantable, action)
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
func ofQueue(text string, wanted *access.Request) access.Decision {
	if text == "" {
		return access.Silent
	}
	d, err := access.ParseResource(text)
	if err != nil {
		return access.Silent
	}
	return d.Decide(wanted)
}

// absent are the keys of requests that services make, or that come in through networks of one's own: no request here has
// them. Documented, where not said otherwise below.
var absent = []string{
	"aws:calledvia", "aws:calledviafirst", "aws:calledvialast", "aws:multifactorauthage", "aws:multifactorauthpresent", "aws:principalservicename",
	"aws:principalservicenameslist", "aws:sourceaccount", "aws:sourcearn", "aws:sourcevpc", "aws:sourcevpce", "aws:tokenissuetime", "aws:username",
	"aws:vpcsourceip", "aws:principalaccount", "aws:principalarn", "aws:referer", "aws:useragent",
}

// resourceTag begins the keys of the tags of a queue.
const resourceTag = "aws:resourcetag/"

// request describes what a caller wants to policies, and returns the policy of the queue; empty if it has none, or if there
// is no such queue.
func (s *service) request(from *caller, key core.QueueKey) (wanted *access.Request, policy string) {
	now := s.broker.Now().UTC()
	values := map[string][]string{
		"aws:currenttime":           {now.Format(time.RFC3339)},
		"aws:epochtime":             {epochSeconds(now)},
		"aws:principalisawsservice": {"false"},
		"aws:principaltype":         {"Anonymous"},
		"aws:requestedregion":       {from.namespace.Region},
		"aws:resourceaccount":       {s.outside(key.Namespace).Account},
		"aws:securetransport":       {strconv.FormatBool(from.request.TLS != nil)},
		"aws:sourceip":              {addressOf(from.request.RemoteAddr)},
		"aws:viaawsservice":         {"false"},
	}
	for _, name := range absent {
		values[name] = nil
	}
	for name, given := range map[string]string{"aws:useragent": from.request.UserAgent(), "aws:referer": from.request.Referer()} {
		if given != "" {
			values[name] = []string{given}
		}
	}
	wanted = &access.Request{Action: "sqs:" + actionOf(from.operation), Resource: s.arn(key), Values: values, Families: []string{resourceTag}}
	if from.user != nil {
		from.user.describe(wanted, from.namespace.Region)
	}
	q, err := s.broker.Queue(from.request.Context(), key)
	if err != nil {
		return wanted, ""
	}
	for name, value := range q.Tags {
		key := resourceTag + strings.ToLower(name)
		values[key] = append(values[key], value)
	}
	for name, given := range values { // Documented: of tags that differ in case only, a key is one, and not said which
		if strings.HasPrefix(name, resourceTag) && len(given) > 1 {
			delete(values, name)
			wanted.Families = nil
		}
	}
	return wanted, q.Settings.Notes[notePolicy]
}

// addressOf returns the host of an address with a port.
func addressOf(remote string) string {
	if host, _, err := net.SplitHostPort(remote); err == nil {
		return host
	}
	return remote
}
