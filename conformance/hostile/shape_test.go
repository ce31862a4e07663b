package hostile_test

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// fault is what a provider is to answer. A code may be empty where only the shape is known.
type fault struct {
	status int
	code   string
}

// shape checks that an answer is a provider's error, and which.
type shape func(t *testing.T, r reply, want fault)

const uuid = `[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`

var (
	requestID  = regexp.MustCompile(`^` + uuid + `$`)
	queryError = regexp.MustCompile(`^<\?xml version="1\.0"\?><ErrorResponse xmlns="http://queue\.amazonaws\.com/doc/[0-9-]+/">` +
		`<Error><Type>Sender</Type><Code>([A-Za-z.]+)</Code><Message>[^<"]*</Message><Detail/></Error>` +
		`<RequestId>(` + uuid + `)</RequestId></ErrorResponse>$`)
	mnsError = regexp.MustCompile(`^<\?xml version="1\.0" \?>\n<Error xmlns="http://mns\.aliyuncs\.com/doc/v1">\n` +
		`  <Code>([A-Za-z]+)</Code>\n  <Message>[^<]+</Message>\n` +
		`  <RequestId>([0-9A-F]{24})</RequestId>\n  <HostId>http://[^<]+</HostId>\n</Error>$`)
)

// inJSON is an error of SQS's JSON protocol. The code is the one in the header; the type has to fit it.
func inJSON(t *testing.T, r reply, want fault) {
	t.Helper()
	var body struct {
		Type string `json:"__type"`
	}
	err := json.Unmarshal([]byte(r.body), &body)
	code, side, _ := strings.Cut(r.header.Get("x-amzn-query-error"), ";")
	switch {
	case r.status != want.status || want.code != "" && code != want.code:
		t.Errorf("answer = %d %s %.300s, want %d %s", r.status, code, r.body, want.status, want.code)
	case err != nil || body.Type != typeOf[code]:
		t.Errorf("body = %.300s (%v), want the type %q of %s", r.body, err, typeOf[code], code)
	case side != "Sender" || r.header.Get("Content-Type") != "application/x-amz-json-1.0":
		t.Errorf("headers = %v, want the sender to blame, and JSON 1.0", r.header)
	case !requestID.MatchString(r.header.Get("x-amzn-RequestId")):
		t.Errorf("request id = %q, want a UUID of version 5", r.header.Get("x-amzn-RequestId"))
	}
}

// typeOf is the JSON type of each code of the header (Recorded).
var typeOf = map[string]string{
	"AWS.SimpleQueueService.NonExistentQueue":             "com.amazonaws.sqs#QueueDoesNotExist",
	"AWS.SimpleQueueService.BatchEntryIdsNotDistinct":     "com.amazonaws.sqs#BatchEntryIdsNotDistinct",
	"AWS.SimpleQueueService.BatchRequestTooLong":          "com.amazonaws.sqs#BatchRequestTooLong",
	"AWS.SimpleQueueService.EmptyBatchRequest":            "com.amazonaws.sqs#EmptyBatchRequest",
	"AWS.SimpleQueueService.InvalidBatchEntryId":          "com.amazonaws.sqs#InvalidBatchEntryId",
	"AWS.SimpleQueueService.TooManyEntriesInBatchRequest": "com.amazonaws.sqs#TooManyEntriesInBatchRequest",
	"AWS.SimpleQueueService.UnsupportedOperation":         "com.amazonaws.sqs#UnsupportedOperation",
	"InvalidAttributeName":                                "com.amazonaws.sqs#InvalidAttributeName",
	"InvalidAttributeValue":                               "com.amazonaws.sqs#InvalidAttributeValue",
	"InvalidMessageContents":                              "com.amazonaws.sqs#InvalidMessageContents",
	"OverLimit":                                           "com.amazonaws.sqs#OverLimit",
	"QueueAlreadyExists":                                  "com.amazonaws.sqs#QueueNameExists",
	"ReceiptHandleIsInvalid":                              "com.amazonaws.sqs#ReceiptHandleIsInvalid",
	"ResourceNotFoundException":                           "com.amazonaws.sqs#ResourceNotFoundException",
	"InvalidAction":                                       "com.amazon.coral.service#UnknownOperationException",
	"InvalidParameterValue":                               "com.amazon.coral.service#InvalidParameterValueException",
	"MalformedInput":                                      "com.amazon.coral.service#SerializationException",
	"MissingParameter":                                    "com.amazon.coral.service#MissingRequiredParameterException",
	"RequestEntityTooLarge":                               "com.amazon.coral.service#RequestEntityTooLarge", // UNVERIFIED
}

// inQuery is an error of SQS's Query protocol.
func inQuery(t *testing.T, r reply, want fault) {
	t.Helper()
	found := queryError.FindStringSubmatch(r.body)
	switch {
	case r.status != want.status || found == nil || want.code != "" && found[1] != want.code:
		t.Errorf("answer = %d %.400s, want %d %s in an ErrorResponse", r.status, r.body, want.status, want.code)
	case r.header.Get("Content-Type") != "text/xml" || r.header.Get("x-amzn-RequestId") != found[2]:
		t.Errorf("headers = %v, want text/xml and the request id %s", r.header, found[2])
	case !utf8.ValidString(r.body):
		t.Errorf("body = %.400q, want UTF-8", r.body)
	}
}

// inMNS is an error of MNS.
func inMNS(t *testing.T, r reply, want fault) {
	t.Helper()
	found := mnsError.FindStringSubmatch(r.body)
	switch {
	case r.status != want.status || found == nil || want.code != "" && found[1] != want.code:
		t.Errorf("answer = %d %.400s, want %d %s in an Error of four", r.status, r.body, want.status, want.code)
	case r.header.Get("Content-Type") != "text/xml;charset=utf-8" || r.header.Get("x-mns-request-id") != found[2] ||
		r.header.Get("x-mns-version") != "2015-06-06":
		t.Errorf("headers = %v, want text/xml;charset=utf-8, version and the request id %s", r.header, found[2])
	case !utf8.ValidString(r.body):
		t.Errorf("body = %.400q, want UTF-8", r.body)
	}
}

// row is one hostile request and what is to come of it.
type row struct {
	name  string
	ask   ask
	shape shape
	want  fault
}

// refuses sends each request and checks that it gets its error and changes nothing.
func (s *site) refuses(t *testing.T, rows []row) {
	t.Helper()
	before := s.state(t)
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			r := s.send(t, tt.ask)
			tt.shape(t, r, tt.want)
			s.checkFaults(t)
			now := s.state(t)
			if diff := cmp.Diff(before, now); diff != "" {
				t.Errorf("%v has changed the queues (-before +after):\n%s", tt.ask, diff)
				before = now
			}
		})
	}
}

// The errors that most rows expect.
var (
	noQueue        = fault{http.StatusBadRequest, "AWS.SimpleQueueService.NonExistentQueue"}
	malformed      = fault{http.StatusBadRequest, "MalformedInput"}
	invalidValue   = fault{http.StatusBadRequest, "InvalidParameterValue"}
	missing        = fault{http.StatusBadRequest, "MissingParameter"}
	unknownAction  = fault{http.StatusBadRequest, "InvalidAction"}
	invalidHandle  = fault{http.StatusNotFound, "ReceiptHandleIsInvalid"}
	invalidSetting = fault{http.StatusBadRequest, "InvalidAttributeValue"}
	unknownSetting = fault{http.StatusBadRequest, "InvalidAttributeName"}
	tooLarge       = fault{http.StatusRequestEntityTooLarge, "RequestEntityTooLarge"}

	mnsNoQueue    = fault{http.StatusNotFound, "QueueNotExist"}
	mnsMalformed  = fault{http.StatusBadRequest, "MalformedXML"}
	mnsArgument   = fault{http.StatusBadRequest, "InvalidArgument"}
	mnsURL        = fault{http.StatusBadRequest, "InvalidRequestURL"}
	mnsQuery      = fault{http.StatusBadRequest, "InvalidQueryString"}
	mnsHandle     = fault{http.StatusBadRequest, "ReceiptHandleError"}
	mnsGone       = fault{http.StatusNotFound, "MessageNotExist"}
	mnsName       = fault{http.StatusBadRequest, "InvalidQueueName"}
	mnsNameLength = fault{http.StatusBadRequest, "QueueNameLengthError"}
)

// quoted is a text as JSON.
func quoted(text string) string {
	b, _ := json.Marshal(text) // a string always can
	return string(b)
}

// without leaves out the rows whose names contain a text.
func without(rows []row, text string) []row {
	return slices.DeleteFunc(rows, func(r row) bool { return strings.Contains(r.name, text) })
}

// readable checks that an answer is a success that its protocol's parser can read.
func (s *site) readable(t *testing.T, a ask) {
	t.Helper()
	r := s.send(t, a)
	err := error(nil)
	if strings.HasPrefix(r.body, "{") {
		err = json.Unmarshal([]byte(r.body), new(any))
	} else {
		err = xml.Unmarshal([]byte(r.body), new(struct{}))
	}
	if r.status != http.StatusOK || err != nil || !utf8.ValidString(r.body) {
		t.Errorf("%v = %d (%v) %.600q, want 200 and a text that can be read", a, r.status, err, r.body)
	}
}
