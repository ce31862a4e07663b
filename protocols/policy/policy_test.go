package policy_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/protocols/policy"
)

const queue = "arn:aws:sqs:us-east-1:111111111111:q"

// ask is a request of the user alice of account 222222222222, with some values.
func ask() *policy.Request {
	return &policy.Request{
		Account: "222222222222", Principal: "arn:aws:iam::222222222222:user/alice", Action: "sqs:SendMessage", Resource: queue,
		Values: map[string][]string{
			"aws:principalarn": {"arn:aws:iam::222222222222:user/alice"}, "aws:sourceip": {"10.1.2.3"}, "aws:securetransport": {"false"},
			"aws:currenttime": {"2026-03-01T12:00:00Z"}, "aws:username": {"alice"}, "aws:sourcearn": nil, "list": {"a", "b"},
		},
	}
}

func TestDecisions(t *testing.T) {
	const to, rest = `"Principal":{"AWS":"222222222222"},`, `"Action":"sqs:SendMessage","Resource":"` + queue + `"`
	allow := func(parts string) string { return `{"Effect":"Allow",` + parts + `}` }
	deny := func(parts string) string { return `{"Effect":"Deny",` + parts + `}` }
	with := func(condition string) string { return allow(to + rest + `,"Condition":{` + condition + `}`) }
	without := func(condition string) string { return deny(to + rest + `,"Condition":{` + condition + `}`) }
	for name, tt := range map[string]struct {
		statements string
		want       policy.Decision
	}{
		"an account":                    {allow(to + rest), policy.Allowed},
		"another account":               {allow(`"Principal":{"AWS":"333333333333"},` + rest), policy.Silent},
		"everybody":                     {allow(`"Principal":"*",` + rest), policy.Allowed},
		"everybody of AWS":              {allow(`"Principal":{"AWS":"*"},` + rest), policy.Allowed},
		"the root of the account":       {allow(`"Principal":{"AWS":"arn:aws:iam::222222222222:root"},` + rest), policy.Allowed},
		"the root in China":             {allow(`"Principal":{"AWS":["x","arn:aws-cn:iam::222222222222:root"]},` + rest), policy.Allowed},
		"the user":                      {allow(`"Principal":{"AWS":"arn:aws:iam::222222222222:user/alice"},` + rest), policy.Allowed},
		"another user":                  {allow(`"Principal":{"AWS":"arn:aws:iam::222222222222:user/bob"},` + rest), policy.Silent},
		"no wildcard in a principal":    {allow(`"Principal":{"AWS":"arn:aws:iam::222222222222:user/*"},` + rest), policy.Silent},
		"a service":                     {allow(`"Principal":{"Service":"sns.amazonaws.com"},` + rest), policy.Silent},
		"all but another":               {allow(`"NotPrincipal":{"AWS":"333333333333"},` + rest), policy.Allowed},
		"all but this one":              {deny(`"NotPrincipal":{"AWS":"222222222222"},` + rest), policy.Silent},
		"any case of an action":         {allow(to + `"Action":"SQS:sendmessage","Resource":"` + queue + `"`), policy.Allowed},
		"actions by wildcard":           {allow(to + `"Action":["sqs:Get*","sqs:S?ndM*"],"Resource":"*"`), policy.Allowed},
		"all actions":                   {allow(to + `"Action":"*","Resource":"*"`), policy.Allowed},
		"other actions":                 {allow(to + `"Action":"sqs:Receive*","Resource":"*"`), policy.Silent},
		"all actions but one":           {allow(to + `"NotAction":"sqs:DeleteMessage","Resource":"*"`), policy.Allowed},
		"all actions but this":          {allow(to + `"NotAction":"sqs:Send*","Resource":"*"`), policy.Silent},
		"another queue":                 {allow(to + `"Action":"*","Resource":"` + queue + `2"`), policy.Silent},
		"queues by wildcard":            {allow(to + `"Action":"*","Resource":"arn:aws:sqs:*:111111111111:?"`), policy.Allowed},
		"all but this queue":            {allow(to + `"Action":"*","NotResource":"` + queue + `"`), policy.Silent},
		"no resource":                   {allow(to + `"Action":"*"`), policy.Allowed},
		"deny counts more":              {deny(to+rest) + "," + allow(to+rest), policy.Denied},
		"deny counts more, later":       {allow(to+rest) + "," + deny(to+rest), policy.Denied},
		"deny of something else":        {allow(to+rest) + "," + deny(to+`"Action":"sqs:PurgeQueue","Resource":"*"`), policy.Allowed},
		"StringEquals":                  {with(`"StringEquals":{"AWS:UserName":["bob","alice"]}`), policy.Allowed},
		"StringEquals, other case":      {with(`"StringEquals":{"aws:username":"Alice"}`), policy.Silent},
		"StringEqualsIgnoreCase":        {with(`"StringEqualsIgnoreCase":{"aws:username":"Alice"}`), policy.Allowed},
		"StringLike":                    {with(`"StringLike":{"aws:username":"a*"}`), policy.Allowed},
		"StringNotLike":                 {with(`"StringNotLike":{"aws:username":"a*"}`), policy.Silent},
		"one of many values":            {with(`"StringEquals":{"list":"b"}`), policy.Allowed},
		"none of many values":           {with(`"StringNotEquals":{"list":["b","c"]}`), policy.Silent},
		"ArnLike":                       {with(`"ArnLike":{"aws:PrincipalArn":"arn:aws:iam::*:user/*"}`), policy.Allowed},
		"a wildcard within its part":    {with(`"ArnEquals":{"aws:PrincipalArn":"arn:aws:*"}`), policy.Silent},
		"ArnNotLike":                    {with(`"ArnNotLike":{"aws:PrincipalArn":"arn:aws:iam::*:role/*"}`), policy.Allowed},
		"the arn of no source":          {with(`"ArnLike":{"aws:SourceArn":"arn:aws:sns:*:*:*"}`), policy.Silent},
		"no source, if it exists":       {with(`"ArnLikeIfExists":{"aws:SourceArn":"arn:aws:sns:*:*:*"}`), policy.Allowed},
		"not a source":                  {with(`"StringNotEquals":{"aws:SourceArn":"x"}`), policy.Allowed},
		"Null":                          {with(`"Null":{"aws:SourceArn":"true"}`), policy.Allowed},
		"not Null":                      {with(`"Null":{"aws:SourceArn":false}`), policy.Silent},
		"IpAddress":                     {with(`"IpAddress":{"aws:SourceIp":["192.0.2.1","10.0.0.0/8"]}`), policy.Allowed},
		"IpAddress, another":            {with(`"IpAddress":{"aws:SourceIp":"10.1.2.4"}`), policy.Silent},
		"NotIpAddress":                  {without(`"NotIpAddress":{"aws:SourceIp":"10.0.0.0/8"}`) + "," + allow(to+rest), policy.Allowed},
		"a range that is none":          {with(`"IpAddress":{"aws:SourceIp":"10"}`), policy.Silent},
		"Bool":                          {without(`"Bool":{"aws:SecureTransport":"false"}`), policy.Denied},
		"Bool, no text":                 {without(`"Bool":{"aws:SecureTransport":true}`), policy.Silent},
		"dates":                         {with(`"DateGreaterThan":{"aws:CurrentTime":"2026-03-01T11:00:00Z"},"DateLessThan":{"aws:CurrentTime":"2026-03-02"}`), policy.Allowed},
		"dates that are over":           {with(`"DateLessThanEquals":{"aws:CurrentTime":1772366399}`), policy.Silent},
		"all conditions have to hold":   {with(`"StringEquals":{"aws:username":"alice","list":"c"}`), policy.Silent},
		"an unknown key allows nothing": {with(`"StringEquals":{"aws:PrincipalOrgID":"o-1"}`), policy.Silent},
		"an unknown key denies":         {without(`"StringEquals":{"aws:PrincipalOrgID":"o-1"}`), policy.Denied},
		"not even with IfExists":        {with(`"StringNotEqualsIfExists":{"aws:PrincipalOrgID":"o-1"}`), policy.Silent},
		"an unknown operator":           {with(`"NumericLessThan":{"list":"1"}`), policy.Silent},
		"an unknown operator denies":    {without(`"ForAllValues:StringLike":{"list":"x"}`), policy.Denied},
		"it denies within the rest":     {without(`"NumericLessThan":{"list":"1"},"StringEquals":{"aws:username":"bob"}`), policy.Silent},
		"a variable":                    {allow(to + `"Action":"*","Resource":"arn:aws:sqs:*:*:${aws:username}"`), policy.Silent},
		"a variable denies":             {deny(to + `"Action":"*","NotResource":"arn:aws:sqs:*:*:${aws:username}"`), policy.Denied},
		"a variable in a condition":     {with(`"StringLike":{"aws:username":"${aws:userid}"}`), policy.Silent},
	} {
		d, err := policy.ParseResource(`{"Version":"2012-10-17","Id":"x","Statement":[` + tt.statements + `]}`)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := d.Decide(ask()); got != tt.want {
			t.Errorf("%s: Decide() = %v, want %v", name, got, tt.want)
		}
	}
}

func TestSomebodyUnknownIsOnlyEverybody(t *testing.T) {
	for principal, want := range map[string]policy.Decision{
		`"*"`: policy.Allowed, `{"AWS":"*"}`: policy.Allowed, `{"AWS":""}`: policy.Silent, `{"AWS":"arn:aws:iam:::root"}`: policy.Silent,
	} {
		d, err := policy.ParseResource(`{"Statement":{"Effect":"Allow","Principal":` + principal + `,"Action":"*"}}`)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Decide(&policy.Request{Action: "sqs:SendMessage", Resource: queue}); got != want {
			t.Errorf("Principal %s: Decide() = %v, want %v", principal, got, want)
		}
	}
}

func TestPoliciesOfUsersAreThoseOfRAMAsWell(t *testing.T) {
	d, err := policy.ParseIdentity(`{"Version":"1","Statement":[
		{"Effect":"Allow","Action":["mns:SendMessage","mns:ChangeMessageVisibility"],"Resource":"acs:mns:cn-hangzhou:*:/queues/orders-*/messages"},
		{"Effect":"Deny","Action":"mns:*","Resource":"*","Condition":{"NotIpAddress":{"acs:SourceIp":"10.0.0.0/8"}}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		action, resource, ip string
		want                 policy.Decision
	}{
		{"mns:ChangeMessageVisibility", "acs:mns:cn-hangzhou:1:/queues/orders-a/messages", "10.0.0.1", policy.Allowed},
		{"mns:ChangeMessageVisibility", "acs:mns:cn-hangzhou:1:/queues/orders-a/messages", "192.0.2.1", policy.Denied},
		{"mns:DeleteMessage", "acs:mns:cn-hangzhou:1:/queues/orders-a/messages", "10.0.0.1", policy.Silent},
		{"mns:SendMessage", "acs:mns:cn-beijing:1:/queues/orders-a/messages", "10.0.0.1", policy.Silent},
		{"mns:SendMessage", "acs:mns:cn-hangzhou:1:/queues/orders-a", "10.0.0.1", policy.Silent},
	} {
		got := d.Decide(&policy.Request{Action: tt.action, Resource: tt.resource, Values: map[string][]string{"acs:sourceip": {tt.ip}}})
		if got != tt.want {
			t.Errorf("%s on %s from %s = %v, want %v", tt.action, tt.resource, tt.ip, got, tt.want)
		}
	}
}

func TestWhatIsNoPolicyIsRefused(t *testing.T) {
	statement := func(parts string) string { return `{"Statement":[{` + parts + `}]}` }
	for _, tt := range []struct{ text, identity, resource string }{
		{"", "no JSON", "no JSON"},
		{"[]", "no JSON", "no JSON"},
		{"{}", "0 statements", "0 statements"},
		{`{"Version":"2020","Statement":[]}`, "version", "version"},
		{`{"Statement":[` + strings.Repeat(`{"Effect":"Allow"},`, 200) + `{}]}`, "201 statements", "201 statements"},
		{`{"Statement":` + strings.Repeat("[", 100000), "bytes", "bytes"},
		{`{"Statement":` + strings.Repeat("[", 20000), "no JSON", "no JSON"},
		{statement(`"Effect":"Maybe"`), "Effect", "Effect"},
		{statement(`"Effect":"Allow","Effect":"Deny"`), "no JSON", "no JSON"},
		{statement(`"Effect":"Allow","Cause":"x"`), "no JSON", "no JSON"},
		{statement(`"Effect":"Allow","Resource":"*"`), "Action is missing", "Action is missing"},
		{statement(`"Effect":"Allow","Action":"*","NotAction":"*","Resource":"*"`), "both", "both"},
		{statement(`"Effect":"Allow","Action":{},"Resource":"*"`), "no JSON", "no JSON"},
		{statement(`"Effect":"Allow","Action":"*"`), "Resource is missing", "Principal is missing"},
		{statement(`"Effect":"Allow","Action":"*","Resource":"*"`), "", "Principal is missing"},
		{statement(`"Effect":"Allow","Action":"*","Resource":"*","Principal":"*"`), "no Principal", ""},
		{statement(`"Effect":"Allow","Action":"*","Resource":"*","Principal":"111111111111"`), "no JSON", "no JSON"},
		{statement(`"Effect":"Allow","Action":"*","Resource":"*","Principal":"*","Condition":{"Bool":{"k":[]}}`), "no Principal", "no values"},
	} {
		for _, kind := range []struct {
			parse func(string) (*policy.Document, error)
			want  string
		}{{policy.ParseIdentity, tt.identity}, {policy.ParseResource, tt.resource}} {
			_, err := kind.parse(tt.text)
			if (err == nil) != (kind.want == "") || err != nil && !strings.Contains(err.Error(), kind.want) {
				t.Errorf("%.80s: %v, want %q", tt.text, err, kind.want)
			}
		}
	}
}

func TestUnknownNamesWhatIsNotUnderstood(t *testing.T) {
	d, err := policy.ParseIdentity(`{"Statement":[
		{"Effect":"Allow","Action":"*","Resource":"${a}","Condition":{"NumericEquals":{"k":1},"StringEquals":{"k":"${b}"}}},
		{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"NumericEquals":{"k":1},"NullIfExists":{"k":true}}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"NullIfExists", "NumericEquals", "variables"}, d.Unknown()); diff != "" {
		t.Errorf("Unknown() (-want +got):\n%s", diff)
	}
}

func TestMatchTakesHostilePatterns(t *testing.T) {
	for pattern, want := range map[string]bool{
		"": false, "*": true, "a*": true, "*b": true, "a?*b": true, "a": false, "aab?": false, "**a**b**": true, "?": false,
	} {
		if got := policy.Match(pattern, "aaab"); got != want {
			t.Errorf("Match(%q) = %v, want %v", pattern, got, want)
		}
	}
	done := make(chan bool, 1)
	go func() { done <- policy.Match(strings.Repeat("*a", 4000)+"b", strings.Repeat("a", 8000)) }()
	select {
	case got := <-done:
		if got {
			t.Error("Match() = true")
		}
	case <-time.After(20 * time.Second):
		t.Error("Match() takes too long")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"Version":"2012-10-17","Statement":[{"Sid":"a","Effect":"Allow","Principal":{"AWS":["1"]},"Action":"sqs:*","Resource":"*","Condition":{"IpAddress":{"aws:SourceIp":"::/0"}}}]}`)
	f.Add(`{"Statement":{"Effect":"Deny","NotPrincipal":"*","NotAction":["a"],"NotResource":"${x}","Condition":{"DateLessThan":{"aws:currenttime":1}}}}`)
	f.Add(`{"Version":"1","Statement":[{"Effect":"Allow","Action":"mns:*","Resource":"acs:mns:*:*:/queues/*"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, parse := range []func(string) (*policy.Document, error){policy.ParseIdentity, policy.ParseResource} {
			d, err := parse(text)
			if err != nil {
				continue
			}
			got := d.Decide(ask())
			blind := ask()
			blind.Values = nil
			if d.Decide(blind) == policy.Allowed && got == policy.Denied || got > policy.Denied {
				t.Errorf("knowing more denies what knowing nothing allows: %s", text)
			}
		}
	})
}
