package sqs

import (
	"strings"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
	wanted "github.com/sluicemq/sluice/protocols/faults"
)

// Faults is what it takes to make the provider fail on purpose.
func Faults() wanted.Provider { return wanted.Provider{Failure: failure, Resource: resource} }

// Errors that the engine has no cause to answer with, and clients have one to know. Status and code are documented.
var (
	throttled   = modelled("RequestThrottled", "RequestThrottled", 403)
	throttling  = general("ThrottlingException", "ThrottlingException", 400)
	outage      = general("ServiceUnavailableException", "ServiceUnavailable", 503)
	optIn       = general("OptInRequired", "OptInRequired", 403)
	expired     = general("ExpiredTokenException", "ExpiredToken", 403)
	insecure    = modelled("InvalidSecurity", "InvalidSecurity", 403)
	kmsDenied   = modelled("KmsAccessDenied", "KMS.AccessDeniedException", 400)
	kmsThrottle = modelled("KmsThrottled", "KMS.ThrottlingException", 400)
)

// failures are what can be wanted, by code. UNVERIFIED: the texts but those of the errors that the engine causes as
// well; "Rate exceeded" is what other services of the provider say.
var failures = []*fault{
	throttled.say("Rate exceeded"),
	throttling.say("Rate exceeded"),
	outage.say("The request has failed due to a temporary failure of the server."), // Documented
	internalFault(nil, subject{}),
	faults[core.TooManyInFlight](nil, subject{}),
	{shape: general("InternalError", "InternalError", 500), text: "We encountered an internal error. Please try again."}, // until 2023
	queueNotFound(nil, subject{}),
	accessDenied.say("Access to the resource is denied."),
	optIn.say("The AWS access key ID needs a subscription for the service."),          // Documented
	expired.say("The security token included in the request is expired"),              // Recorded: the code
	insecure.say("The request was not made over HTTPS or did not use SigV4 to sign."), // Documented
	kmsDenied.say("The ciphertext refers to a customer master key that does not exist, does not exist in this region, or you are not allowed to access."), // Recorded 2023
	kmsThrottle.say("Rate exceeded"),
	errUnknownKey, errBadSignature,
}

func failure(name string) error {
	switch name {
	case wanted.Throttled:
		name = throttled.code
	case wanted.Internal:
		name = internalFailure.code
	case wanted.Unavailable:
		name = outage.code
	case wanted.TooMany:
		name = overLimit.code
	}
	for _, f := range failures {
		if f.code == name || f.name == name {
			return f
		}
	}
	return nil
}

// resource returns the name of the queue that a call is about; empty for those that are about none.
func resource(c *protocols.Call) string {
	in, about := detail(c).in.(interface{ about() *string })
	if !about {
		return ""
	}
	text := c.Request.URL.Path
	if given := in.about(); given != nil && *given != "" {
		text = *given
	}
	if strings.HasPrefix(text, "arn:") {
		return text[strings.LastIndexByte(text, ':')+1:]
	}
	p, _ := parseQueueURL(text)
	return string(p.name)
}

func (q onQueue) about() *string            { return q.QueueURL }
func (in *createQueueInput) about() *string { return in.QueueName }
func (in *getQueueURLInput) about() *string { return in.QueueName }
func (in *startMoveInput) about() *string   { return in.SourceARN }
func (in *listMovesInput) about() *string   { return in.SourceARN }
