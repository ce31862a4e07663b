package sqs

import (
	"fmt"
	"strings"
	"testing"
)

func TestTags(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	if got, want := s.ok(s.query("Action=TagQueue&QueueUrl=q&Tag.1.Key=b&Tag.1.Value=1&Tag.2.Key=a&Tag.2.Value=")), xml("TagQueue", "-"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := s.ok(s.json("ListQueueTags", `{"QueueUrl":"q"}`)), `{"Tags":{"a":"","b":"1"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.ok(s.json("TagQueue", `{"QueueUrl":"q","Tags":{"b":"2"}}`))
	s.ok(s.query("Action=UntagQueue&QueueUrl=q&TagKey.1=a&TagKey.2=unknown"))
	if got, want := s.ok(s.query("Action=ListQueueTags&QueueUrl=q")), xml("ListQueueTags", "<Tag><Key>b</Key><Value>2</Value></Tag>"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.ok(s.json("UntagQueue", `{"QueueUrl":"q","TagKeys":["b"]}`))
	if got := s.ok(s.json("ListQueueTags", `{"QueueUrl":"q"}`)); got != "{}" {
		t.Errorf("got %s, want {}", got)
	}
	var many strings.Builder
	for i := range 51 {
		fmt.Fprintf(&many, `,"k%d":""`, i)
	}
	for _, tt := range []struct{ operation, rest, code, kind, text string }{
		{"TagQueue", ``, "MissingParameter", "/MissingRequiredParameterException", "The request must contain the parameter Tags."},
		{"TagQueue", `,"Tags":{"k":null}`, "InvalidParameterValue", "/InvalidParameterValueException", "the parameter 'value' may not be null"},
		{"TagQueue", `,"Tags":{` + many.String()[1:] + `}`, "InvalidParameterValue", "/InvalidParameterValueException", "Too many tags added for queue q."},
		{"TagQueue", `,"Tags":{"k*":""}`, "InvalidParameterValue", "/InvalidParameterValueException", "Tag keys may only contain unicode letters, digits, whitespace, or one of these symbols: _ . : / = + - @"},
		{"TagQueue", `,"Tags":{"k":"*"}`, "InvalidParameterValue", "/InvalidParameterValueException", "Tag values may only contain unicode letters, digits, whitespace, or one of these symbols: _ . : / = + - @'"},
		{"UntagQueue", ``, "MissingParameter", "/MissingRequiredParameterException", "The request must contain the parameter TagKeys."},
		{"UntagQueue", `,"TagKeys":[""]`, "InvalidParameterValue", "/InvalidParameterValueException", "Tag keys must be between 1 and 128 characters in length."},
	} {
		s.jsonFault(s.json(tt.operation, `{"QueueUrl":"q"`+tt.rest+`}`), 400, tt.code, tt.kind, tt.text)
	}
}

func TestPermissions(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	policy := func() string {
		var out struct{ Attributes struct{ Policy string } }
		s.parse(s.ok(s.json("GetQueueAttributes", `{"QueueUrl":"q","AttributeNames":["Policy"]}`)), &out)
		return out.Attributes.Policy
	}
	const arn = "arn:aws:sqs:us-east-1:000000000000:q"
	const first = `{"Sid":"one","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::123456789012:root"},"Action":"SQS:ReceiveMessage","Resource":"` + arn + `"}`
	const second = `{"Sid":"two","Effect":"Allow","Principal":{"AWS":["arn:aws:iam::123456789012:root","arn:aws:iam::210987654321:root"]},"Action":["SQS:*","SQS:SendMessage"],"Resource":"` + arn + `"}`
	whole := func(statements string) string {
		return `{"Version":"2008-10-17","Id":"` + arn + `/SQSDefaultPolicy","Statement":[` + statements + `]}`
	}
	add := `{"QueueUrl":"q","Label":"one","AWSAccountIds":["123456789012"],"Actions":["ReceiveMessage"]}`
	s.ok(s.json("AddPermission", add))
	s.ok(s.json("AddPermission", add)) // again
	if got := policy(); got != whole(first) {
		t.Errorf("got %s, want %s", got, whole(first))
	}
	got := s.ok(s.query("Action=AddPermission&QueueUrl=q&Label=two&AWSAccountId.1=123456789012&AWSAccountId.2=210987654321&ActionName.1=*&ActionName.2=SendMessage"))
	if want := xml("AddPermission", "-"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := policy(); got != whole(first+","+second) {
		t.Errorf("got %s, want %s", got, whole(first+","+second))
	}
	value := func(operation, rest, text string) {
		t.Helper()
		s.jsonFault(s.json(operation, `{"QueueUrl":"q",`+rest+`}`), 400, "InvalidParameterValue", "/InvalidParameterValueException", text)
	}
	value("AddPermission", `"Label":"one","AWSAccountIds":["123456789012"],"Actions":["SendMessage"]`, "Value one for parameter Label is invalid. Reason: Already exists.")
	value("AddPermission", `"Label":"x","AWSAccountIds":[],"Actions":["*"]`, "Value [] for parameter PrincipalId is invalid. Reason: Unable to verify.")
	value("AddPermission", `"Label":"x","AWSAccountIds":["1","2"],"Actions":["*"]`, "Value [1, 2] for parameter PrincipalId is invalid. Reason: Unable to verify.")
	value("AddPermission", `"Label":"x","AWSAccountIds":["123456789012"],"Actions":["Bogus"]`, "Value SQS:Bogus for parameter ActionName is invalid. Reason: Please refer to the appropriate WSDL for a list of valid actions.")
	value("AddPermission", `"Label":"x","AWSAccountIds":["123456789012"],"Actions":["CreateQueue"]`, "Value SQS:CreateQueue for parameter ActionName is invalid. Reason: Only the queue owner is allowed to invoke this action.")
	value("RemovePermission", `"Label":"x"`, "Value x for parameter Label is invalid. Reason: can't find label on existing policy.")
	eight := `"*","*","*","*","*","*","*","*"`
	s.jsonFault(s.json("AddPermission", `{"QueueUrl":"q","Label":"x","AWSAccountIds":["123456789012"],"Actions":[`+eight+`]}`), 403, "OverLimit", "OverLimit", "8 Actions were found, maximum allowed is 7.")
	for operation, rest := range map[string]string{"AddPermission": `,"AWSAccountIds":["1"],"Actions":["*"]`, "RemovePermission": ``} {
		s.jsonFault(s.json(operation, `{"QueueUrl":"q"`+rest+`}`), 400, "MissingParameter", "/MissingRequiredParameterException", "The request must contain the parameter Label.")
	}
	s.ok(s.json("RemovePermission", `{"QueueUrl":"q","Label":"one"}`))
	if got := policy(); got != whole(second) {
		t.Errorf("got %s, want %s", got, whole(second))
	}
	s.ok(s.query("Action=RemovePermission&QueueUrl=q&Label=two"))
	if got := policy(); got != "" {
		t.Errorf("got %s, want no policy", got)
	}
	value("RemovePermission", `"Label":"two"`, "Value two for parameter Label is invalid. Reason: can't find label.")
}
