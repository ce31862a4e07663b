package mns

import "net/http"

// naming is how something new can be called. A bridged queue may have any name, and is served under it.
type naming struct {
	longest         int // characters; the texts of the errors have an older number
	length, invalid *fault
}

var (
	queueNames = naming{120, errQueueNameLength, errInvalidQueueName}
	// UNVERIFIED: the page on limits has 120 for topics as well, the reference pages 255.
	topicNames = naming{
		255,
		&fault{http.StatusBadRequest, "TopicNameLengthError", "Topic name length is out of range, should be between 1 and 256."},
		&fault{http.StatusBadRequest, "TopicNameInvalid", "The topic name you provided is invalid. TopicName should start with alpha and contain only alpha, digit or - ."},
	}
	// UNVERIFIED: the texts; documented are the codes.
	subscriptionNames = naming{
		255,
		&fault{http.StatusBadRequest, "SubscriptionNameLengthError", "Subscription name length is out of range, should be between 1 and 256."},
		&fault{http.StatusBadRequest, "SubscriptionNameInvalid", "The subscription name you provided is invalid. SubscriptionName should start with alpha and contain only alpha, digit or - ."},
	}
)

// check refuses a name of another length, with other characters than letters, digits and hyphens, or with a hyphen at
// its beginning.
func (n *naming) check(name string) error {
	if name == "" || len(name) > n.longest {
		return n.length
	}
	for i := range len(name) {
		if c := name[i]; c == '.' || c == '_' || !isNameByte(c, false) || i == 0 && c == '-' {
			return n.invalid
		}
	}
	return nil
}
