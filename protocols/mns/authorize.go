package mns

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/policy"
)

// newPolicies reads the policies of the users of a site, if it verifies keys. What is no policy allows nothing.
func newPolicies(site *protocols.Site) map[string]*policy.Document {
	if !site.Verify {
		return nil
	}
	policies := map[string]*policy.Document{}
	for _, c := range site.Credentials {
		if c.Policy == "" {
			continue
		}
		d, err := policy.ParseIdentity(c.Policy)
		if err != nil {
			d = &policy.Document{}
		}
		policies[c.Policy] = d
	}
	return policies
}

// authorize returns whose queues a request is about, from whom its key belongs to. An account that the host names has to
// be that of the key; where it names none, that of the key is meant. What the user of a key may do its policy says.
// Documented: all of these have one error. There is no access to the queues of another account.
func (d *dialect) authorize(r *http.Request, c protocols.Credential, operation string, ns core.Namespace, named bool) (core.Namespace, error) {
	owner := cmp.Or(c.Account, d.site.MNS.Account)
	if named && owner != ns.Account {
		return ns, errAccessDenied
	}
	ns.Account = owner
	if c.Policy != "" && d.policies[c.Policy].Decide(d.request(r, c, operation, ns)) != policy.Allowed {
		return ns, errAccessDenied
	}
	return ns, nil
}

// request describes what a user wants to policies. Documented: an action is called as its operation, and a batch as the
// single form; the resource is the path.
// UNVERIFIED: that holds for BatchDeleteMessage as well, which the table of actions does not have, and for the attributes
// of the account.
func (d *dialect) request(r *http.Request, c protocols.Credential, operation string, ns core.Namespace) *policy.Request {
	path := r.URL.Path
	if path != rootPath {
		path = strings.TrimSuffix(path, "/")
	}
	var user []string
	if c.User != "" {
		user = []string{c.User}
	}
	return &policy.Request{
		Account:  ns.Account,
		Action:   "mns:" + strings.TrimPrefix(operation, "Batch"),
		Resource: "acs:mns:" + ns.Region + ":" + ns.Account + ":" + path,
		Values: map[string][]string{
			"acs:currenttime":     {d.broker.Now().UTC().Format(time.RFC3339)},
			"acs:securetransport": {strconv.FormatBool(r.TLS != nil)},
			"acs:sourceip":        {withoutPort(r.RemoteAddr)},
			"acs:mfapresent":      {"false"},
			"acs:username":        user,
		},
	}
}
