package mns

// The shapes of the wire. Tags say where a field stands: path, query and header name arguments, xml elements of the
// body, in the order of the answers; "A>B" is a list of B in one A, and "omitempty" leaves out what is empty; a map holds
// the texts of all elements in its own. The root
// tag names the body's root element; with "optional" a request may come without a body.
//
// In requests a pointer is nil for what was not given. Order of elements in answers: recorded, where not said
// otherwise.

// none is the input or output of operations that have none.
type none struct{}

type queueInput struct {
	Queue string `path:"queue"`
}

// queueSettings are the attributes that can be set.
type queueSettings struct {
	DelaySeconds           *seconds `xml:"DelaySeconds"`
	MaximumMessageSize     *int     `xml:"MaximumMessageSize"`
	MessageRetentionPeriod *seconds `xml:"MessageRetentionPeriod"`
	VisibilityTimeout      *seconds `xml:"VisibilityTimeout"`
	PollingWaitSeconds     *seconds `xml:"PollingWaitSeconds"`
	LoggingEnabled         *bool    `xml:"LoggingEnabled"`
}

// queueSettingsInput may come without a body.
// UNVERIFIED: taken for an empty one, since the Python client sends an empty Queue and the others leave out what they
// can.
type queueSettingsInput struct {
	_     struct{} `root:"Queue,optional"`
	Queue string   `path:"queue"`
	queueSettings
}

// createdOutput answers the operations that make something.
type createdOutput struct {
	Location string `header:"Location"`
	created  bool
}

// queueAttributes are what GetQueueAttributes shows.
type queueAttributes struct {
	QueueName              string       `xml:"QueueName"`
	DelaySeconds           seconds      `xml:"DelaySeconds"`
	MaximumMessageSize     int          `xml:"MaximumMessageSize"`
	MessageRetentionPeriod seconds      `xml:"MessageRetentionPeriod"`
	VisibilityTimeout      seconds      `xml:"VisibilityTimeout"`
	CreateTime             epochSeconds `xml:"CreateTime"`
	LastModifyTime         epochSeconds `xml:"LastModifyTime"`
	PollingWaitSeconds     seconds      `xml:"PollingWaitSeconds"`
	ActiveMessages         int          `xml:"ActiveMessages"`
	InactiveMessages       int          `xml:"InactiveMessages"`
	DelayMessages          int          `xml:"DelayMessages"`
	LoggingEnabled         bool         `xml:"LoggingEnabled"`
	MessageType            int          `xml:"MessageType"`
	EnableSSE              bool         `xml:"EnableSSE"`
}

type getQueueAttributesOutput struct {
	_ struct{} `root:"Queue"`
	queueAttributes
}

type listQueueInput struct {
	page
	WithMeta bool `header:"x-mns-with-meta"`
}

type listQueueOutput struct {
	_          struct{}      `root:"Queues"`
	Queues     []listedQueue `xml:"Queue"`
	NextMarker string        `xml:"NextMarker,omitempty"` // left out at the end: the Python client fails on an empty one
}

// listedQueue is one queue of a list, by name or, when the request asks for it, with all attributes. Documented is the
// QueueURL only; the live test of the Node.js client expects the QueueName as well.
type listedQueue struct {
	QueueURL   string           `xml:"QueueURL"`
	QueueName  string           `xml:"QueueName,omitempty"`
	Attributes *queueAttributes `xml:",inline"`
}

// property is one entry of UserProperties or SystemProperties.
type property struct {
	Name  string  `xml:"Name"`
	Value *string `xml:"Value"`
	Type  string  `xml:"Type"`
}

// messageInput is a message to be sent.
type messageInput struct {
	MessageBody      *string    `xml:"MessageBody"`
	DelaySeconds     *seconds   `xml:"DelaySeconds"`
	Priority         *int       `xml:"Priority"`
	MessageGroupID   *string    `xml:"MessageGroupId"`
	UserProperties   []property `xml:"UserProperties>PropertyValue"`
	SystemProperties []property `xml:"SystemProperties>SystemPropertyValue"`
}

type sendMessageInput struct {
	_     struct{} `root:"Message"`
	Queue string   `path:"queue"`
	messageInput
}

type batchSendMessageInput struct {
	_        struct{}       `root:"Messages"`
	Queue    string         `path:"queue"`
	Messages []messageInput `xml:"Message"`
}

// sentMessage is a message that was sent or, in a batch, an error in its place. The Python client wants either exactly
// the first two or exactly the others, without ReceiptHandle for a message that is visible at once.
type sentMessage struct {
	ErrorCode      string `xml:"ErrorCode,omitempty"`
	ErrorMessage   string `xml:"ErrorMessage,omitempty"`
	MessageID      string `xml:"MessageId,omitempty"`
	MessageBodyMD5 string `xml:"MessageBodyMD5,omitempty"`
	ReceiptHandle  string `xml:"ReceiptHandle,omitempty"`
}

type sendMessageOutput struct {
	_ struct{} `root:"Message"`
	sentMessage
}

type batchSendMessageOutput struct {
	_        struct{}      `root:"Messages"`
	Messages []sentMessage `xml:"Message"`
	failed   bool
}

type receiveMessageInput struct {
	Queue         string   `path:"queue"`
	WaitSeconds   *seconds `query:"waitseconds"`
	NumOfMessages *int     `query:"numOfMessages"`
}

// receivedMessage is a message as receives and peeks show it; a peek leaves out ReceiptHandle and NextVisibleTime.
// UNVERIFIED: the place of SystemProperties and MessageGroupId; UserProperties is recorded last.
type receivedMessage struct {
	MessageID        string      `xml:"MessageId"`
	MessageBodyMD5   string      `xml:"MessageBodyMD5"`
	MessageBody      string      `xml:"MessageBody"`
	ReceiptHandle    string      `xml:"ReceiptHandle,omitempty"`
	EnqueueTime      epochMillis `xml:"EnqueueTime"`
	FirstDequeueTime epochMillis `xml:"FirstDequeueTime"`
	NextVisibleTime  epochMillis `xml:"NextVisibleTime,omitempty"`
	DequeueCount     int         `xml:"DequeueCount"`
	Priority         int         `xml:"Priority"`
	UserProperties   []property  `xml:"UserProperties>PropertyValue"`
	SystemProperties []property  `xml:"SystemProperties>SystemPropertyValue"`
	MessageGroupID   string      `xml:"MessageGroupId,omitempty"`
}

type receiveMessageOutput struct {
	_ struct{} `root:"Message"`
	receivedMessage
}

type batchReceiveMessageOutput struct {
	_        struct{}          `root:"Messages"`
	Messages []receivedMessage `xml:"Message"`
}

type deleteMessageInput struct {
	Queue         string  `path:"queue"`
	ReceiptHandle *string `query:"ReceiptHandle"`
}

type batchDeleteMessageInput struct {
	_              struct{} `root:"ReceiptHandles"`
	Queue          string   `path:"queue"`
	ReceiptHandles []string `xml:"ReceiptHandle"`
}

// batchDeleteMessageOutput names the handles that failed. Its layout is documented.
type batchDeleteMessageOutput struct {
	_      struct{}       `root:"Errors"`
	Errors []handleFailed `xml:"Error"`
}

type handleFailed struct {
	ErrorCode     string `xml:"ErrorCode"`
	ErrorMessage  string `xml:"ErrorMessage"`
	ReceiptHandle string `xml:"ReceiptHandle"`
}

type changeVisibilityInput struct {
	Queue             string   `path:"queue"`
	ReceiptHandle     *string  `query:"ReceiptHandle"`
	VisibilityTimeout *seconds `query:"VisibilityTimeout"`
}

type changeVisibilityOutput struct {
	_               struct{}     `root:"ChangeVisibility"`
	ReceiptHandle   string       `xml:"ReceiptHandle"`
	NextVisibleTime epochVisible `xml:"NextVisibleTime"`
}

type accountInput struct {
	_             struct{} `root:"Account"`
	LoggingBucket *string  `xml:"LoggingBucket"`
}

type accountOutput struct {
	_             struct{} `root:"Account"`
	LoggingBucket string   `xml:"LoggingBucket"`
}

type openServiceOutput struct {
	_       struct{} `root:"OpenService"`
	OrderID string   `xml:"OrderId"`
}

type errorOutput struct {
	_         struct{} `root:"Error"`
	Code      string   `xml:"Code"`
	Message   string   `xml:"Message"`
	RequestID string   `xml:"RequestId"`
	HostID    string   `xml:"HostId"`
}
