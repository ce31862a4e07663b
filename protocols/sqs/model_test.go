package sqs

import (
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sqs/schemas"
	"github.com/aws/smithy-go"
	smithytraits "github.com/aws/smithy-go/traits"
)

// The official client's model is the oracle for the names of shapes in both protocols.
func TestShapesAreThoseOfTheModel(t *testing.T) {
	for _, tt := range []struct {
		shape  reflect.Type
		schema *smithy.Schema
	}{
		{reflect.TypeFor[createQueueInput](), schemas.CreateQueueRequest},
		{reflect.TypeFor[queueURLOutput](), schemas.CreateQueueResult},
		{reflect.TypeFor[getQueueURLInput](), schemas.GetQueueUrlRequest},
		{reflect.TypeFor[queueURLOutput](), schemas.GetQueueUrlResult},
		{reflect.TypeFor[listQueuesInput](), schemas.ListQueuesRequest},
		{reflect.TypeFor[listQueuesOutput](), schemas.ListQueuesResult},
		{reflect.TypeFor[listSourcesInput](), schemas.ListDeadLetterSourceQueuesRequest},
		{reflect.TypeFor[listSourcesOutput](), schemas.ListDeadLetterSourceQueuesResult},
		{reflect.TypeFor[queueInput](), schemas.DeleteQueueRequest},
		{reflect.TypeFor[queueInput](), schemas.PurgeQueueRequest},
		{reflect.TypeFor[queueInput](), schemas.ListQueueTagsRequest},
		{reflect.TypeFor[listQueueTagsOutput](), schemas.ListQueueTagsResult},
		{reflect.TypeFor[getQueueAttributesInput](), schemas.GetQueueAttributesRequest},
		{reflect.TypeFor[getQueueAttributesOutput](), schemas.GetQueueAttributesResult},
		{reflect.TypeFor[setQueueAttributesInput](), schemas.SetQueueAttributesRequest},
		{reflect.TypeFor[tagQueueInput](), schemas.TagQueueRequest},
		{reflect.TypeFor[untagQueueInput](), schemas.UntagQueueRequest},
		{reflect.TypeFor[addPermissionInput](), schemas.AddPermissionRequest},
		{reflect.TypeFor[removePermissionInput](), schemas.RemovePermissionRequest},
		{reflect.TypeFor[sendMessageInput](), schemas.SendMessageRequest},
		{reflect.TypeFor[sentMessage](), schemas.SendMessageResult},
		{reflect.TypeFor[sendMessageBatchInput](), schemas.SendMessageBatchRequest},
		{reflect.TypeFor[sendMessageBatchOutput](), schemas.SendMessageBatchResult},
		{reflect.TypeFor[receiveMessageInput](), schemas.ReceiveMessageRequest},
		{reflect.TypeFor[receiveMessageOutput](), schemas.ReceiveMessageResult},
		{reflect.TypeFor[deleteMessageInput](), schemas.DeleteMessageRequest},
		{reflect.TypeFor[deleteMessageBatchInput](), schemas.DeleteMessageBatchRequest},
		{reflect.TypeFor[deleteMessageBatchOutput](), schemas.DeleteMessageBatchResult},
		{reflect.TypeFor[changeVisibilityInput](), schemas.ChangeMessageVisibilityRequest},
		{reflect.TypeFor[changeVisibilityBatchInput](), schemas.ChangeMessageVisibilityBatchRequest},
		{reflect.TypeFor[changeVisibilityBatchOutput](), schemas.ChangeMessageVisibilityBatchResult},
		{reflect.TypeFor[startMoveInput](), schemas.StartMessageMoveTaskRequest},
		{reflect.TypeFor[startMoveOutput](), schemas.StartMessageMoveTaskResult},
		{reflect.TypeFor[cancelMoveInput](), schemas.CancelMessageMoveTaskRequest},
		{reflect.TypeFor[cancelMoveOutput](), schemas.CancelMessageMoveTaskResult},
		{reflect.TypeFor[listMovesInput](), schemas.ListMessageMoveTasksRequest},
		{reflect.TypeFor[listMovesOutput](), schemas.ListMessageMoveTasksResult},
	} {
		t.Run(tt.shape.Name(), func(t *testing.T) { compareShape(t, tt.shape, tt.schema) })
	}
}

func compareShape(t *testing.T, shape reflect.Type, schema *smithy.Schema) {
	t.Helper()
	ours := map[string]reflect.StructField{}
	for _, f := range reflect.VisibleFields(shape) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.Anonymous && name != "-" {
			ours[name] = f
		}
	}
	for name, member := range schema.Members() {
		f, ok := ours[name]
		delete(ours, name)
		if !ok {
			t.Errorf("%s has no %s", shape, name)
			continue
		}
		compareMember(t, f, member)
	}
	for name := range ours {
		t.Errorf("%s has a %s, which the model has not", shape, name)
	}
}

func compareMember(t *testing.T, f reflect.StructField, member *smithy.Schema) {
	t.Helper()
	names := strings.Split(f.Tag.Get("query"), ",")
	name, _, _ := strings.Cut(names[0], "|")
	if name == "" {
		name, _, _ = strings.Cut(f.Tag.Get("json"), ",")
	}
	want := xmlName(member, member.MemberName())
	if f.Name == "SystemAttributeNames" { // the model calls both lists AttributeName, kombu sends this; both are read
		want = "MessageSystemAttributeName"
	}
	if name != want {
		t.Errorf("%s is called %s in forms, want %s", f.Name, name, want)
	}
	inner := f.Type
	switch member.Type() {
	case smithy.ShapeTypeList:
		inner, member = inner.Elem(), member.ListMember()
	case smithy.ShapeTypeMap:
		key, value := xmlName(member.MapKey(), "key"), xmlName(member.MapValue(), "value")
		if len(names) != 3 || names[1] != key || names[2] != value {
			t.Errorf("%s has the entry names %q, want %s and %s", f.Name, names, key, value)
		}
		inner, member = inner.Elem().Field(1).Type, member.MapValue()
	}
	if member.Type() == smithy.ShapeTypeStructure {
		compareShape(t, inner, member)
	}
}

func xmlName(member *smithy.Schema, otherwise string) string {
	if n, ok := smithy.SchemaTrait[*smithytraits.XMLName](member); ok {
		return n.Name
	}
	return otherwise
}
