package replay

import (
	"context"
	_ "embed"
	"net/url"
	"strings"
)

// Place is an account and a region.
type Place struct{ Account, Region string }

// Places are the account and the region that a server made for tests takes requests to belong to.
func Places() map[string]Place {
	sqs := Place{Account: "000000000000", Region: "us-east-1"}
	return map[string]Place{
		SQSJSON: sqs, SQSQuery: sqs, Cross: sqs,
		MNS: {Account: "1234567890123456", Region: "cn-hangzhou"},
	}
}

// Documented: the addresses of both providers say the region, and those of MNS the account as well.
var (
	amazonHost  = Pattern(`^(?:sqs(?:-fips)?\.)([a-z0-9-]+)\.`)
	alibabaHost = Pattern(`^([0-9]+)\.mns\.([a-z0-9-]+?)(?:-internal)?(?:-vpc)?\.`)
)

// placesAt reads what an address says.
func placesAt(u *url.URL) map[string]Place {
	all := Places()
	if m := alibabaHost().FindStringSubmatch(u.Host); m != nil {
		all[MNS] = Place{Account: m[1], Region: m[2]}
	}
	if m := amazonHost().FindStringSubmatch(u.Host); m != nil {
		for _, d := range []string{SQSJSON, SQSQuery, Cross} {
			all[d] = Place{Account: all[d].Account, Region: m[1]}
		}
	}
	return all
}

var (
	//go:embed probe.http
	probeJSON string
	//go:embed probe-query.http
	probeQuery string
)

// Discover asks the server where its SQS queues are, by the ARN of one that it makes and deletes. What the server does
// not say stays as it is.
func (t *Target) Discover(ctx context.Context) error {
	for dialect, text := range map[string]string{SQSJSON: probeJSON, SQSQuery: probeQuery} {
		s, err := Parse(dialect+"/Protocol/probe.http", text)
		if err != nil {
			return err
		}
		r := begin(ctx, t, s)
		r.end()
		if r.b == nil {
			continue
		}
		// arn:aws:sqs:us-east-1:000000000000:name
		if parts := strings.Split(r.b.values["arn"], ":"); len(parts) == 6 && parts[3] != "" && parts[4] != "" {
			t.Places[dialect] = Place{Account: parts[4], Region: parts[3]}
			t.Places[Cross] = t.Places[dialect]
		}
	}
	return ctx.Err()
}
