package sqs

import (
	"context"

	"github.com/sluicemq/sluice/protocols/internal/wire"
)

// operations is the table of what SQS can do, for both protocols.
var operations = table(
	op("CreateQueue", (*service).createQueue).anywhere(),
	op("GetQueueUrl", (*service).getQueueURL),
	op("ListQueues", (*service).listQueues).anywhere(),
	act("DeleteQueue", (*service).deleteQueue),
	act("PurgeQueue", (*service).purgeQueue),
	op("GetQueueAttributes", (*service).getQueueAttributes),
	act("SetQueueAttributes", (*service).setQueueAttributes),

	op("SendMessage", (*service).sendMessage),
	op("SendMessageBatch", (*service).sendMessageBatch),
	op("ReceiveMessage", (*service).receiveMessage),
	act("DeleteMessage", (*service).deleteMessage),
	op("DeleteMessageBatch", (*service).deleteMessageBatch),
	act("ChangeMessageVisibility", (*service).changeVisibility),
	op("ChangeMessageVisibilityBatch", (*service).changeVisibilityBatch),

	act("TagQueue", (*service).tagQueue),
	act("UntagQueue", (*service).untagQueue),
	op("ListQueueTags", (*service).listQueueTags),
	act("AddPermission", (*service).addPermission),
	act("RemovePermission", (*service).removePermission),
	op("ListDeadLetterSourceQueues", (*service).listDeadLetterSources),
	op("StartMessageMoveTask", (*service).startMove),
	op("CancelMessageMoveTask", (*service).cancelMove),
	op("ListMessageMoveTasks", (*service).listMoves),
)

// operation is one row of the table: a handler between the codecs of its shapes, with their types erased.
type operation struct {
	name        string
	notOnQueues bool // the Query protocol refuses it on the path of a queue
	silent      bool // its answer has no content

	fromJSON func(doc []byte) (any, error)
	fromForm func(form wire.Form) (any, error)
	run      func(ctx context.Context, s *service, from *caller, in any) (any, error)

	json, plain, xml func(b []byte, out any) []byte // nil when silent
}

// anywhere marks an operation that is not about one queue.
func (o *operation) anywhere() *operation {
	o.notOnQueues = true
	return o
}

func table(rows ...*operation) map[string]*operation {
	t := make(map[string]*operation, len(rows))
	for _, o := range rows {
		t[o.name] = o
	}
	return t
}

// op makes a row of a handler with an answer. It is the only place where types are erased.
func op[In, Out any](name string, handle func(*service, context.Context, *caller, *In) (*Out, error)) *operation {
	o := input[In](name)
	o.run = func(ctx context.Context, s *service, from *caller, in any) (any, error) {
		out, err := handle(s, ctx, from, in.(*In))
		if err != nil {
			return nil, err
		}
		return out, nil
	}
	o.json = erase(wire.JSONEncoder[Out]())
	o.plain = erase(wire.PlainJSONEncoder[Out]())
	o.xml = erase(wire.XMLEncoder[Out]())
	return o
}

// act makes a row of a handler whose success says it all.
func act[In any](name string, handle func(*service, context.Context, *caller, *In) error) *operation {
	o := input[In](name)
	o.silent = true
	o.run = func(ctx context.Context, s *service, from *caller, in any) (any, error) {
		return nil, handle(s, ctx, from, in.(*In))
	}
	return o
}

func input[In any](name string) *operation {
	json, form := wire.JSONDecoder[In](), wire.FormDecoder[In]()
	return &operation{
		name:     name,
		fromJSON: func(doc []byte) (any, error) { in := new(In); return in, json(doc, in) },
		fromForm: func(f wire.Form) (any, error) { in := new(In); return in, form(f, in) },
	}
}

func erase[Out any](encode func([]byte, *Out) []byte) func([]byte, any) []byte {
	return func(b []byte, out any) []byte { return encode(b, out.(*Out)) }
}
