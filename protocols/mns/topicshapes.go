package mns

// The shapes of topics, as those of queues in shapes.go. Nothing of the answers below is recorded but headers and the
// answer to PublishMessage, which is that to SendMessage.

type topicInput struct {
	Topic string `path:"topic"`
}

// topicSettings are the attributes that can be set.
type topicSettings struct {
	MaximumMessageSize *int  `xml:"MaximumMessageSize"`
	LoggingEnabled     *bool `xml:"LoggingEnabled"`
}

// topicSettingsInput may come without a body, as that of queues may.
type topicSettingsInput struct {
	_     struct{} `root:"Topic,optional"`
	Topic string   `path:"topic"`
	topicSettings
}

// topicAttributes are what GetTopicAttributes shows, in the order of the reference page.
type topicAttributes struct {
	TopicName              string       `xml:"TopicName"`
	CreateTime             epochSeconds `xml:"CreateTime"`
	LastModifyTime         epochSeconds `xml:"LastModifyTime"`
	MaximumMessageSize     int          `xml:"MaximumMessageSize"`
	MessageRetentionPeriod seconds      `xml:"MessageRetentionPeriod"`
	MessageCount           int          `xml:"MessageCount"`
	LoggingEnabled         bool         `xml:"LoggingEnabled"`
}

type getTopicAttributesOutput struct {
	_ struct{} `root:"Topic"`
	topicAttributes
}

type listTopicInput struct {
	page
	WithMeta bool `header:"x-mns-with-meta"`
}

type listTopicOutput struct {
	_          struct{}      `root:"Topics"`
	Topics     []listedTopic `xml:"Topic"`
	NextMarker string        `xml:"NextMarker,omitempty"`
}

// listedTopic is one topic of a list. Documented is the TopicURL; the Java client asks for all attributes, as for those
// of queues, and reads them from here.
type listedTopic struct {
	TopicURL   string           `xml:"TopicURL"`
	Attributes *topicAttributes `xml:",inline"`
}

type publishMessageInput struct {
	_                 struct{}          `root:"Message"`
	Topic             string            `path:"topic"`
	MessageBody       *string           `xml:"MessageBody"`
	MessageTag        string            `xml:"MessageTag"`
	MessageGroupID    *string           `xml:"MessageGroupId"`
	MessageAttributes map[string]string `xml:"MessageAttributes"` // DirectMail, DirectSMS and others, each a text in JSON
	UserProperties    []property        `xml:"UserProperties>PropertyValue"`
	SystemProperties  []property        `xml:"SystemProperties>SystemPropertyValue"`
}

type subscriptionInput struct {
	Topic        string `path:"topic"`
	Subscription string `path:"subscription"`
}

type subscribeInput struct {
	_ struct{} `root:"Subscription"`
	subscriptionInput
	Endpoint            *string `xml:"Endpoint"`
	FilterTag           string  `xml:"FilterTag"`
	NotifyStrategy      *string `xml:"NotifyStrategy"`
	NotifyContentFormat *string `xml:"NotifyContentFormat"`
}

// setSubscriptionInput has what can be changed. Documented is the strategy; the Java client can send the tag as well.
type setSubscriptionInput struct {
	_ struct{} `root:"Subscription,optional"`
	subscriptionInput
	FilterTag      *string `xml:"FilterTag"`
	NotifyStrategy *string `xml:"NotifyStrategy"`
}

// getSubscriptionOutput is in the order of the sample on the reference page. The Python client wants all of it but the
// tag.
type getSubscriptionOutput struct {
	_                   struct{}     `root:"Subscription"`
	CreateTime          epochSeconds `xml:"CreateTime"`
	Endpoint            string       `xml:"Endpoint"`
	FilterTag           string       `xml:"FilterTag,omitempty"`
	LastModifyTime      epochSeconds `xml:"LastModifyTime"`
	NotifyContentFormat string       `xml:"NotifyContentFormat"`
	NotifyStrategy      string       `xml:"NotifyStrategy"`
	SubscriptionName    string       `xml:"SubscriptionName"`
	TopicName           string       `xml:"TopicName"`
	TopicOwner          string       `xml:"TopicOwner"`
}

type listSubscriptionInput struct {
	Topic string `path:"topic"`
	page
}

type listSubscriptionOutput struct {
	_             struct{}             `root:"Subscriptions"`
	Subscriptions []listedSubscription `xml:"Subscription"`
	NextMarker    string               `xml:"NextMarker,omitempty"`
}

type listedSubscription struct {
	SubscriptionURL string `xml:"SubscriptionURL"`
}
