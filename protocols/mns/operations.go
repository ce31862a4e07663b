package mns

import (
	"context"
	"net/http"
	"reflect"
)

// The paths, as gorilla/mux writes them. The name may be empty, so that an empty one is told what is wrong with it.
const (
	rootPath     = "/"
	queuesPath   = "/queues"
	queuePath    = "/queues/{queue:[^/]*}"
	messagesPath = "/queues/{queue:[^/]*}/messages"
	openPath     = "/commonbuy/openservice"

	topicsPath        = "/topics"
	topicPath         = "/topics/{topic:[^/]*}"
	publishPath       = "/topics/{topic:[^/]*}/messages"
	subscriptionsPath = "/topics/{topic:[^/]*}/subscriptions"
	subscriptionPath  = "/topics/{topic:[^/]*}/subscriptions/{subscription:[^/]*}"
)

// operations are all that this dialect answers. Of the rows with the same method and path the first is taken whose
// condition holds; the busiest paths stand first.
var operations = []operation{
	op("BatchSendMessage", http.MethodPost, messagesPath, whereBodyIs("Messages"), http.StatusCreated, (*service).batchSendMessage),
	op("SendMessage", http.MethodPost, messagesPath, always, http.StatusCreated, (*service).sendMessage),
	op("BatchPeekMessage", http.MethodGet, messagesPath, whereBoth(whereTrue("peekonly"), whereGiven("numOfMessages")), http.StatusOK, (*service).batchPeekMessage),
	op("PeekMessage", http.MethodGet, messagesPath, whereTrue("peekonly"), http.StatusOK, (*service).peekMessage),
	op("BatchReceiveMessage", http.MethodGet, messagesPath, whereGiven("numOfMessages"), http.StatusOK, (*service).batchReceiveMessage),
	op("ReceiveMessage", http.MethodGet, messagesPath, always, http.StatusOK, (*service).receiveMessage),
	op("BatchDeleteMessage", http.MethodDelete, messagesPath, whereBoth(whereAbsent("ReceiptHandle"), whereBody), http.StatusNoContent, (*service).batchDeleteMessage),
	op("DeleteMessage", http.MethodDelete, messagesPath, always, http.StatusNoContent, (*service).deleteMessage),
	op("ChangeMessageVisibility", http.MethodPut, messagesPath, always, http.StatusOK, (*service).changeMessageVisibility),
	op("PublishMessage", http.MethodPost, publishPath, always, http.StatusCreated, (*service).publishMessage),

	op("GetQueueAttributes", http.MethodGet, queuePath, always, http.StatusOK, (*service).getQueueAttributes),
	op("SetQueueAttributes", http.MethodPut, queuePath, whereTrue("metaoverride"), http.StatusNoContent, (*service).setQueueAttributes),
	op("CreateQueue", http.MethodPut, queuePath, always, http.StatusCreated, (*service).createQueue),
	op("DeleteQueue", http.MethodDelete, queuePath, always, http.StatusNoContent, (*service).deleteQueue),
	op("ListQueue", http.MethodGet, queuesPath, always, http.StatusOK, (*service).listQueue),

	op("GetTopicAttributes", http.MethodGet, topicPath, always, http.StatusOK, (*service).getTopicAttributes),
	op("SetTopicAttributes", http.MethodPut, topicPath, whereTrue("metaoverride"), http.StatusNoContent, (*service).setTopicAttributes),
	op("CreateTopic", http.MethodPut, topicPath, always, http.StatusCreated, (*service).createTopic),
	op("DeleteTopic", http.MethodDelete, topicPath, always, http.StatusNoContent, (*service).deleteTopic),
	op("ListTopic", http.MethodGet, topicsPath, always, http.StatusOK, (*service).listTopic),
	op("GetSubscriptionAttributes", http.MethodGet, subscriptionPath, always, http.StatusOK, (*service).getSubscriptionAttributes),
	op("SetSubscriptionAttributes", http.MethodPut, subscriptionPath, whereTrue("metaoverride"), http.StatusNoContent, (*service).setSubscriptionAttributes),
	op("Subscribe", http.MethodPut, subscriptionPath, always, http.StatusCreated, (*service).subscribe),
	op("Unsubscribe", http.MethodDelete, subscriptionPath, always, http.StatusNoContent, (*service).unsubscribe),
	op("ListSubscriptionByTopic", http.MethodGet, subscriptionsPath, always, http.StatusOK, (*service).listSubscriptionByTopic),

	op("GetAccountAttributes", http.MethodGet, rootPath, whereTrue("accountmeta"), http.StatusOK, (*service).getAccountAttributes),
	op("SetAccountAttributes", http.MethodPut, rootPath, whereTrue("accountmeta"), http.StatusNoContent, (*service).setAccountAttributes),
	op("OpenService", http.MethodPost, openPath, always, http.StatusOK, (*service).openService),
}

// operation is a row of the table.
type operation struct {
	name, method, path string
	where              condition
	status             int // of success, unless the output has a status of its own
	in, out            *plan
	start              func(*service, *request) (func(context.Context) (any, error), error)
}

// statusOwner is an output that does not always have the status of its operation.
type statusOwner interface{ status() int }

// op makes a row, and is the only place where the types of shapes are erased.
func op[I, O any](name, method, path string, where condition, status int, run func(*service, context.Context, *I) (*O, error)) operation {
	in := planOf[I]()
	return operation{
		name: name, method: method, path: path, where: where, status: status, in: in, out: planOf[O](),
		start: func(s *service, r *request) (func(context.Context) (any, error), error) {
			input := new(I)
			if err := r.bind(in, reflect.ValueOf(input).Elem()); err != nil {
				return nil, err
			}
			return func(ctx context.Context) (any, error) {
				output, err := run(s, ctx, input)
				if err != nil {
					return nil, err
				}
				return output, nil
			}, nil
		},
	}
}

// condition tells apart the operations of one method and path.
type condition func(*request) bool

func always(*request) bool { return true }

func whereBody(r *request) bool { return r.body != nil || r.bodyErr != nil }

func whereBodyIs(name string) condition {
	return func(r *request) bool { return r.is(name) }
}

func whereTrue(item string) condition {
	return func(r *request) bool { return r.query.flag(item) }
}

func whereGiven(item string) condition {
	return func(r *request) bool {
		_, ok := r.query.get(item)
		return ok
	}
}

func whereAbsent(item string) condition {
	given := whereGiven(item)
	return func(r *request) bool { return !given(r) }
}

func whereBoth(a, b condition) condition {
	return func(r *request) bool { return a(r) && b(r) }
}
