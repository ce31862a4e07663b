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
		Account: "222222222222", Principals: []string{"arn:aws:iam::222222222222:user/alice"}, Action: "sqs:SendMessage", Resource: queue,
		Values: map[string][]string{
			"aws:principalarn": {"arn:aws:iam::222222222222:user/alice"}, "aws:sourceip": {"10.1.2.3"}, "aws:securetransport": {"false"},
			"aws:currenttime": {"2026-03-01T12:00:00Z"}, "aws:username": {"alice"}, "aws:sourcearn": nil, "list": {"a", "b"}, "number": {"7"}, "star": {"*"},
			"aws:resourcetag/team": {"shop"}, "aws:epochtime": {"1772366400"},
		},
		Families: []string{"aws:resourcetag/"},
	}
}

func TestDecisions(t *testing.T) {
	const to, rest = `"Principal":{"AWS":"arn:aws:iam::222222222222:user/alice"},`, `"Action":"sqs:SendMessage","Resource":"` + queue + `"`
	allow := func(parts string) string { return `{"Effect":"Allow",` + parts + `}` }
	deny := func(parts string) string { return `{"Effect":"Deny",` + parts + `}` }
	with := func(condition string) string { return allow(to + rest + `,"Condition":{` + condition + `}`) }
	without := func(condition string) string { return deny(to + rest + `,"Condition":{` + condition + `}`) }
	for name, tt := range map[string]struct {
		statements string
		want       policy.Decision
	}{
		"an account":                     {allow(`"Principal":{"AWS":"222222222222"},` + rest), policy.Delegated},
		"another account":                {allow(`"Principal":{"AWS":"333333333333"},` + rest), policy.Silent},
		"everybody":                      {allow(`"Principal":"*",` + rest), policy.Allowed},
		"everybody of AWS":               {allow(`"Principal":{"AWS":"*"},` + rest), policy.Allowed},
		"the root of the account":        {allow(`"Principal":{"AWS":"arn:aws:iam::222222222222:root"},` + rest), policy.Delegated},
		"the account and the user":       {allow(`"Principal":{"AWS":"222222222222"},`+rest) + "," + allow(to+rest), policy.Allowed},
		"the account is denied":          {deny(`"Principal":{"AWS":"222222222222"},`+rest) + "," + allow(to+rest), policy.Denied},
		"the root in China":              {allow(`"Principal":{"AWS":["x","arn:aws-cn:iam::222222222222:root"]},` + rest), policy.Delegated},
		"the user":                       {allow(`"Principal":{"AWS":"arn:aws:iam::222222222222:user/alice"},` + rest), policy.Allowed},
		"another user":                   {allow(`"Principal":{"AWS":"arn:aws:iam::222222222222:user/bob"},` + rest), policy.Silent},
		"a service":                      {allow(`"Principal":{"Service":"sns.amazonaws.com"},` + rest), policy.Silent},
		"a service called as everybody":  {allow(`"Principal":{"Service":"*"},` + rest), policy.Silent},
		"a service called as an account": {allow(`"Principal":{"Federated":["222222222222","x:iam::222222222222:root"]},` + rest), policy.Silent},
		"all but a service":              {allow(`"NotPrincipal":{"Service":"sns.amazonaws.com"},` + rest), policy.Allowed},
		"denied but to a service":        {deny(`"NotPrincipal":{"Service":"sns.amazonaws.com"},` + rest), policy.Denied},
		"all but another":                {allow(`"NotPrincipal":{"AWS":"333333333333"},` + rest), policy.Allowed},
		"all but this account":           {allow(`"NotPrincipal":{"AWS":"222222222222"},` + rest), policy.Delegated},
		"all but this user":              {allow(`"NotPrincipal":{"AWS":"arn:aws:iam::222222222222:user/alice"},` + rest), policy.Silent},
		"all are denied but this one":    {deny(`"NotPrincipal":{"AWS":["222222222222","arn:aws:iam::222222222222:user/alice"]},` + rest), policy.Silent},
		"the account alone is exempt":    {deny(`"NotPrincipal":{"AWS":"arn:aws:iam::222222222222:root"},` + rest), policy.Denied},
		"the user alone is exempt":       {deny(`"NotPrincipal":{"AWS":"arn:aws:iam::222222222222:user/alice"},` + rest), policy.Denied},
		"nobody is not exempt":           {deny(`"NotPrincipal":"*",` + rest), policy.Silent},
		"any case of an action":          {allow(to + `"Action":"SQS:sendmessage","Resource":"` + queue + `"`), policy.Allowed},
		"actions by wildcard":            {allow(to + `"Action":["sqs:Get*","sqs:S?ndM*"],"Resource":"*"`), policy.Allowed},
		"all actions":                    {allow(to + `"Action":"*","Resource":"*"`), policy.Allowed},
		"other actions":                  {allow(to + `"Action":"sqs:Receive*","Resource":"*"`), policy.Silent},
		"all actions but one":            {allow(to + `"NotAction":"sqs:DeleteMessage","Resource":"*"`), policy.Allowed},
		"all actions but this":           {allow(to + `"NotAction":"sqs:Send*","Resource":"*"`), policy.Silent},
		"another queue":                  {allow(to + `"Action":"*","Resource":"` + queue + `2"`), policy.Silent},
		"queues by wildcard":             {allow(to + `"Action":"*","Resource":"arn:aws:sqs:*:111111111111:?"`), policy.Allowed},
		"a name without its end":         {deny(to + `"Action":"*","Resource":"arn:aws:sqs"`), policy.Denied},
		"a name that ends with its user": {deny(to + `"Action":"*","Resource":["arn:aws:sqs:us-${aws:username}","arn:aws:sqs:us-east-1:${aws:SourceArn, '111111111111'}"]`), policy.Denied},
		"a name without end of others":   {allow(to + `"Action":"*","Resource":"arn:aws:sns"`), policy.Silent},
		"all but a name without its end": {allow(to + `"Action":"*","NotResource":"arn:aws:sqs:us-east-1"`), policy.Silent},
		"all but this queue":             {allow(to + `"Action":"*","NotResource":"` + queue + `"`), policy.Silent},
		"no resource":                    {allow(to + `"Action":"*"`), policy.Allowed},
		"deny counts more":               {deny(to+rest) + "," + allow(to+rest), policy.Denied},
		"deny counts more, later":        {allow(to+rest) + "," + deny(to+rest), policy.Denied},
		"deny of something else":         {allow(to+rest) + "," + deny(to+`"Action":"sqs:PurgeQueue","Resource":"*"`), policy.Allowed},
		"StringEquals":                   {with(`"StringEquals":{"AWS:UserName":["bob","alice"]}`), policy.Allowed},
		"StringEquals, other case":       {with(`"StringEquals":{"aws:username":"Alice"}`), policy.Silent},
		"StringEqualsIgnoreCase":         {with(`"StringEqualsIgnoreCase":{"aws:username":"Alice"}`), policy.Allowed},
		"StringLike":                     {with(`"StringLike":{"aws:username":"a*"}`), policy.Allowed},
		"StringNotLike":                  {with(`"StringNotLike":{"aws:username":"a*"}`), policy.Silent},
		"one of many values":             {with(`"StringEquals":{"list":"b"}`), policy.Allowed},
		"none of many values":            {with(`"StringNotEquals":{"list":["b","c"]}`), policy.Silent},
		"ArnLike":                        {with(`"ArnLike":{"aws:PrincipalArn":"arn:aws:iam::*:user/*"}`), policy.Allowed},
		"a wildcard within its part":     {with(`"ArnEquals":{"aws:PrincipalArn":"arn:aws:*"}`), policy.Silent},
		"ArnNotLike":                     {with(`"ArnNotLike":{"aws:PrincipalArn":"arn:aws:iam::*:role/*"}`), policy.Allowed},
		"the arn of no source":           {with(`"ArnLike":{"aws:SourceArn":"arn:aws:sns:*:*:*"}`), policy.Silent},
		"no source, if it exists":        {with(`"ArnLikeIfExists":{"aws:SourceArn":"arn:aws:sns:*:*:*"}`), policy.Allowed},
		"not a source":                   {with(`"StringNotEquals":{"aws:SourceArn":"x"}`), policy.Allowed},
		"Null":                           {with(`"Null":{"aws:SourceArn":"true"}`), policy.Allowed},
		"not Null":                       {with(`"Null":{"aws:SourceArn":false}`), policy.Silent},
		"IpAddress":                      {with(`"IpAddress":{"aws:SourceIp":["192.0.2.1","10.0.0.0/8"]}`), policy.Allowed},
		"IpAddress, another":             {with(`"IpAddress":{"aws:SourceIp":"10.1.2.4"}`), policy.Silent},
		"NotIpAddress":                   {without(`"NotIpAddress":{"aws:SourceIp":"10.0.0.0/8"}`) + "," + allow(to+rest), policy.Allowed},
		"a range that is none":           {with(`"IpAddress":{"aws:SourceIp":"10"}`), policy.Silent},
		"not in a range that is none":    {with(`"NotIpAddress":{"aws:SourceIp":"10"}`), policy.Silent},
		"it denies as well":              {without(`"IpAddress":{"aws:SourceIp":["10","192.0.2.1"]}`) + "," + allow(to+rest), policy.Denied},
		"a date that is none denies":     {without(`"DateGreaterThan":{"aws:CurrentTime":"2026-02-30"}`) + "," + allow(to+rest), policy.Denied},
		"so does Null of nothing":        {without(`"Null":{"aws:SourceArn":"maybe"}`) + "," + allow(to+rest), policy.Denied},
		"but not where the rest differs": {without(`"IpAddress":{"aws:SourceIp":"10"},"StringEquals":{"aws:username":"bob"}`) + "," + allow(to+rest), policy.Allowed},
		"NumericLessThan":                {with(`"NumericLessThan":{"number":"7.5"},"NumericGreaterThan":{"number":-1}`), policy.Allowed},
		"NumericEquals":                  {with(`"NumericEquals":{"number":"7.0"}`), policy.Allowed},
		"NumericNotEquals":               {with(`"NumericNotEquals":{"number":["6","7"]}`), policy.Silent},
		"NumericLessThanEquals":          {with(`"NumericLessThanEquals":{"number":6}`), policy.Silent},
		"NumericGreaterThanEquals":       {with(`"NumericGreaterThanEquals":{"aws:EpochTime":1772366400}`), policy.Allowed},
		"no number":                      {with(`"NumericNotEquals":{"number":"many"}`), policy.Silent},
		"no number in the request":       {with(`"NumericLessThan":{"aws:username":"1"}`), policy.Silent},
		"one of many numbers":            {with(`"NumericLessThan":{"number":["1","8"]}`), policy.Allowed},
		"ForAnyValue":                    {with(`"ForAnyValue:StringEquals":{"list":["b","c"]}`), policy.Allowed},
		"ForAnyValue, none":              {with(`"ForAnyValue:StringLike":{"list":"c*"}`), policy.Silent},
		"ForAnyValue that is not":        {with(`"ForAnyValue:StringNotEquals":{"list":"b"}`), policy.Allowed},
		"ForAnyValue of nothing":         {with(`"ForAnyValue:StringNotEquals":{"aws:SourceArn":"b"}`), policy.Silent},
		"ForAnyValue, if there is one":   {with(`"ForAnyValue:StringEqualsIfExists":{"aws:SourceArn":"b"}`), policy.Allowed},
		"ForAllValues":                   {with(`"ForAllValues:StringEquals":{"list":["a","b","c"]}`), policy.Allowed},
		"ForAllValues, one is not":       {with(`"ForAllValues:StringEquals":{"list":["a","c"]}`), policy.Silent},
		"ForAllValues that are not":      {with(`"ForAllValues:StringNotLike":{"list":"c"}`), policy.Allowed},
		"ForAllValues that one is":       {with(`"ForAllValues:StringNotLike":{"list":"b"}`), policy.Silent},
		"ForAllValues of nothing":        {with(`"ForAllValues:ArnLike":{"aws:SourceArn":"x"}`), policy.Allowed},
		"ForAllValues, unknown":          {with(`"ForAllValues:StringLike":{"aws:TagKeys":"x"}`), policy.Silent},
		"a set for Null":                 {with(`"ForAllValues:Null":{"list":"false"}`), policy.Silent},
		"a tag of the queue":             {with(`"StringEquals":{"aws:ResourceTag/Team":"shop"}`), policy.Allowed},
		"a tag that it does not have":    {with(`"StringEquals":{"aws:ResourceTag/stage":"shop"}`), policy.Silent},
		"it has no tag":                  {with(`"Null":{"aws:ResourceTag/stage":"True"}`), policy.Allowed},
		"Bool":                           {without(`"Bool":{"aws:SecureTransport":"false"}`), policy.Denied},
		"Bool, no text":                  {without(`"Bool":{"aws:SecureTransport":true}`), policy.Silent},
		"dates":                          {with(`"DateGreaterThan":{"aws:CurrentTime":"2026-03-01T11:00:00Z"},"DateLessThan":{"aws:CurrentTime":"2026-03-02"}`), policy.Allowed},
		"a year, or seconds":             {with(`"DateGreaterThan":{"aws:CurrentTime":"2030"}`), policy.Silent},
		"dates that are over":            {with(`"DateLessThanEquals":{"aws:CurrentTime":1772366399}`), policy.Silent},
		"all conditions have to hold":    {with(`"StringEquals":{"aws:username":"alice","list":"c"}`), policy.Silent},
		"an unknown key allows nothing":  {with(`"StringEquals":{"aws:PrincipalOrgID":"o-1"}`), policy.Silent},
		"an unknown key denies":          {without(`"StringEquals":{"aws:PrincipalOrgID":"o-1"}`), policy.Denied},
		"not even with IfExists":         {with(`"StringNotEqualsIfExists":{"aws:PrincipalOrgID":"o-1"}`), policy.Silent},
		"an unknown operator":            {with(`"BinaryEquals":{"list":"1"}`), policy.Silent},
		"an unknown operator denies":     {without(`"ForNoValue:StringLike":{"list":"x"}`), policy.Denied},
		"it denies within the rest":      {without(`"BinaryEquals":{"list":"1"},"StringEquals":{"aws:username":"bob"}`), policy.Silent},
		"a variable":                     {allow(to + `"Action":"*","Resource":"arn:aws:sqs:*:*:${aws:username}"`), policy.Silent},
		"a variable that matches":        {allow(to + `"Action":"*","NotResource":"arn:aws:sqs:*:*:${aws:username}"`), policy.Allowed},
		"a variable in a condition":      {with(`"StringLike":{"aws:PrincipalArn":"arn:*:user/${AWS:UserName}"}`), policy.Allowed},
		"a variable in an ARN":           {with(`"ArnEquals":{"aws:PrincipalArn":"arn:aws:iam::*:*/${aws:username}"}`), policy.Allowed},
		"a variable that is equal":       {with(`"StringEquals":{"aws:username":"${aws:username}"}`), policy.Allowed},
		"a value is no wildcard":         {with(`"StringLike":{"aws:username":"${star}"}`), policy.Silent},
		"an asterisk":                    {with(`"StringLike":{"star":"${*}"}`) + "," + without(`"StringLike":{"aws:username":"${*}"}`), policy.Allowed},
		"a question mark and a dollar":   {with(`"StringEquals":{"aws:username":"${?}${$}"}`), policy.Silent},
		"a variable without a value":     {with(`"StringEquals":{"aws:username":"${aws:SourceArn}"}`), policy.Silent},
		"it is not like anything":        {with(`"StringNotEquals":{"aws:username":"${aws:SourceArn}"}`), policy.Allowed},
		"a value for when there is none": {with(`"StringEquals":{"aws:username":"${aws:SourceArn, 'alice'}"}`), policy.Allowed},
		"an unknown variable":            {with(`"StringNotEquals":{"aws:username":"${aws:userid}"}`), policy.Silent},
		"an unknown variable denies":     {without(`"StringNotEquals":{"aws:username":"${aws:userid}"}`), policy.Denied},
		"it denies other resources":      {deny(to + `"Action":"*","NotResource":"arn:aws:sqs:*:*:${aws:userid}"`), policy.Denied},
		"it allows none":                 {allow(to + `"Action":"*","NotResource":"arn:aws:sqs:*:*:${aws:userid}"`), policy.Silent},
		"a variable of many values":      {with(`"StringEquals":{"list":"${list}"}`), policy.Silent},
		"a variable that is none":        {with(`"StringLike":{"aws:username":"${aws:username"}`), policy.Silent},
		"no variables in numbers":        {with(`"NumericEquals":{"number":"${number}"}`), policy.Silent},
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

func TestSessionsAreNamedByThemselvesAndByTheirRole(t *testing.T) {
	const session, role = "arn:aws:sts::222222222222:assumed-role/deploy/ci", "arn:aws:iam::222222222222:role/deploy"
	for _, tt := range []struct {
		effect, principal string
		want              policy.Decision
	}{
		{"Allow", `"Principal":{"AWS":"` + session + `"}`, policy.Allowed},
		{"Allow", `"Principal":{"AWS":"` + role + `"}`, policy.Allowed},
		{"Allow", `"Principal":{"AWS":"222222222222"}`, policy.Delegated},
		{"Allow", `"Principal":{"AWS":"arn:aws:sts::222222222222:assumed-role/deploy/other"}`, policy.Silent},
		{"Allow", `"Principal":{"AWS":"arn:aws:iam::222222222222:user/deploy"}`, policy.Silent},
		{"Deny", `"NotPrincipal":{"AWS":["` + session + `","` + role + `","222222222222"]}`, policy.Silent},
		{"Deny", `"NotPrincipal":{"AWS":["` + role + `","222222222222"]}`, policy.Denied},
		{"Deny", `"NotPrincipal":{"AWS":["` + session + `","222222222222"]}`, policy.Denied},
		{"Deny", `"NotPrincipal":{"AWS":["` + session + `","` + role + `"]}`, policy.Denied},
	} {
		d, err := policy.ParseResource(`{"Statement":{"Effect":"` + tt.effect + `",` + tt.principal + `,"Action":"*"}}`)
		if err != nil {
			t.Fatal(err)
		}
		r := &policy.Request{Account: "222222222222", Principals: []string{session, role}, Action: "sqs:SendMessage", Resource: queue}
		if got := d.Decide(r); got != tt.want {
			t.Errorf("%s %s = %v, want %v", tt.effect, tt.principal, got, tt.want)
		}
	}
}

// Only the last version of the language of IAM has variables. That of RAM does not speak of them.
func TestVariablesAreThoseOfTheVersion(t *testing.T) {
	for _, tt := range []struct {
		version string
		effect  string
		want    policy.Decision
	}{
		{`"Version":"2012-10-17",`, "Allow", policy.Allowed},
		{`"Version":"2008-10-17",`, "Allow", policy.Silent},
		{"", "Allow", policy.Silent},
		{`"Version":"1",`, "Allow", policy.Silent},
		{`"Version":"1",`, "Deny", policy.Denied},
		{"", "Deny", policy.Silent},
	} {
		d, err := policy.ParseIdentity(`{` + tt.version + `"Statement":{"Effect":"` + tt.effect + `","Action":"*","Resource":"arn:aws:sqs:us-east-1:111111111111:${name}"}}`)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Decide(&policy.Request{Action: "sqs:SendMessage", Resource: queue, Values: map[string][]string{"name": {"q"}}}); got != tt.want {
			t.Errorf("%s%s = %v, want %v", tt.version, tt.effect, got, tt.want)
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
		{statement(`"Effect":"Allow","Action":"*","Resource":"*","Principal":"*","Condition":null`), "Condition is null", "Condition is null"},
		{statement(`"Effect":"Allow","Action":"*","Resource":null`), "Resource is null", "Resource is null"},
		{statement(`"Effect":"Allow","Action":"*","Resource":"*","Condition":{"Bool":null}`), "Bool is null", "Principal is missing"},
		{statement(`"Effect":"Allow","Action":"*","Resource":"*","Condition":{"Bool":{"k":null}}`), "no JSON", "no JSON"},
		{`{"Version":null,"Statement":[]}`, "at /Version", "at /Version"},
		{`{"Statement":[null]}`, "Effect", "Effect"},
		// what is refused here would allow everything, or deny nothing, without a word
		{statement(`"Effect":"Allow","NotAction":[],"Resource":"*"`), "NotAction has nothing", "NotAction has nothing"},
		{statement(`"Effect":"Allow","Action":"*","NotResource":[]`), "NotResource has nothing", "NotResource has nothing"},
		{statement(`"Effect":"Deny","Action":"*","Principal":{}`), "Principal has nothing", "Principal has nothing"},
		{statement(`"Effect":"Allow","Action":"*","NotPrincipal":{"AWS":[]}`), "at /NotPrincipal", "at /NotPrincipal"},
		{statement(`"Effect":"Deny","Action":"*","Principal":{"aws":"*"}`), "at /Principal", "at /Principal"},
		{statement(`"Effect":"Deny","Action":"*","Principal":{"AWS":"arn:aws:iam::222222222222:user/*"}`), "at /Principal", "at /Principal"},
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
	d, err := policy.ParseIdentity(`{"Version":"1","Statement":[
		{"Effect":"Allow","Action":"*","Resource":"${a}","Condition":{"BinaryEquals":{"k":1},"StringEquals":{"k":"${b}"}}},
		{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"BinaryEquals":{"k":1},"NullIfExists":{"k":true},"DateEquals":{"k":"soon"}}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"BinaryEquals", `DateEquals "soon"`, "NullIfExists", "variables"}, d.Unknown()); diff != "" {
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
	f.Add(`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","NotPrincipal":{"AWS":"x"},"Action":"*","NotResource":"arn:aws:sqs:*:*:${aws:username, 'x'}${*}","Condition":{"ForAllValues:ArnNotLikeIfExists":{"list":["a:*:c:d:e:${star}"]},"NumericLessThan":{"number":1e400}}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, parse := range []func(string) (*policy.Document, error){policy.ParseIdentity, policy.ParseResource} {
			d, err := parse(text)
			if err != nil {
				continue
			}
			got := d.Decide(ask())
			blind := ask()
			blind.Values, blind.Families = nil, nil
			if is := d.Decide(blind); (is == policy.Allowed || is == policy.Delegated) && got == policy.Denied || got > policy.Denied {
				t.Errorf("knowing more denies what knowing nothing allows: %s", text)
			}
		}
	})
}
