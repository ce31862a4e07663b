package main

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

type schemaNode struct {
	Type                 any                    `json:"type"`
	Properties           map[string]*schemaNode `json:"properties"`
	AdditionalProperties any                    `json:"additionalProperties"`
	Items                *schemaNode            `json:"items"`
	Required             []string               `json:"required"`
	OneOf                []*schemaNode          `json:"oneOf"`
}

// The schema and the structs that the file is read into have the same settings.
func TestSchemaHasEverySettingAndNoOther(t *testing.T) {
	var root schemaNode
	if err := json.Unmarshal(configSchema, &root); err != nil {
		t.Fatal(err)
	}
	compareSchema(t, "", &root, reflect.TypeFor[config]())
}

func compareSchema(t *testing.T, path string, n *schemaNode, of reflect.Type) {
	t.Helper()
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	_, list := reflect.Zero(of).Interface().(texts)
	switch {
	case list:
		if len(n.OneOf) != 2 {
			t.Errorf("schema%s: want a value or a list of them", path)
		}
	case of == reflect.TypeFor[document]():
		if n.Properties != nil || n.Items != nil {
			t.Errorf("schema%s says what is in a document", path)
		}
	case of == reflect.TypeFor[text]():
		if n.Properties != nil || n.Items != nil {
			t.Errorf("schema%s has more than a single value", path)
		}
	case of.Kind() == reflect.Slice && n.Items == nil:
		t.Errorf("schema%s is no list", path)
	case of.Kind() == reflect.Slice:
		compareSchema(t, path+"[]", n.Items, of.Elem())
	case of.Kind() == reflect.Map: // of tags, and of attributes, whose names the engine knows
	case of.Kind() == reflect.Struct:
		compareFields(t, path, n, of)
	default:
		t.Errorf("schema%s: a %v is not expected", path, of)
	}
}

func compareFields(t *testing.T, path string, n *schemaNode, of reflect.Type) {
	t.Helper()
	fields := settingsOf(of)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if n.Properties[name] == nil {
			t.Errorf("the schema lacks %s.%s", path, name)
			continue
		}
		compareSchema(t, path+"."+name, n.Properties[name], fields[name])
	}
	for name := range n.Properties {
		if fields[name] == nil {
			t.Errorf("the schema has %s.%s, which the file cannot have", path, name)
		}
	}
	if n.AdditionalProperties != false {
		t.Errorf("schema%s allows settings that are unknown", path)
	}
	for _, name := range n.Required {
		if n.Properties[name] == nil {
			t.Errorf("schema%s requires %s, which is none", path, name)
		}
	}
}

// What is not said in a file is not written either.
func TestSettingsThatAreLeftOutAreNotWritten(t *testing.T) {
	walk := func(of reflect.Type) {
		for i := range of.NumField() {
			if f := of.Field(i); strings.Contains(string(f.Tag), "yaml") && !strings.Contains(f.Tag.Get("yaml"), ",omitempty") && f.Tag.Get("yaml") != ",inline" {
				t.Errorf("the tag of %s.%s lacks omitempty", of, f.Name)
			}
		}
	}
	for _, of := range []reflect.Type{
		reflect.TypeFor[config](), reflect.TypeFor[resources](), reflect.TypeFor[queueText](), reflect.TypeFor[topicText](),
		reflect.TypeFor[subscriptionText](), reflect.TypeFor[credentialText](), reflect.TypeFor[bridgeText](), reflect.TypeFor[faultText](),
	} {
		walk(of)
	}
}

// Every flag of serve is a setting of the file, but for the one that names the file.
func TestEveryFlagIsASettingOfTheFile(t *testing.T) {
	var c config
	inFile := c.flags()
	for _, name := range flagNames(serveCommand().Flags()) {
		if _, ok := inFile[name]; !ok {
			t.Errorf("the file cannot say what --%s says", name)
		}
	}
}

func TestSchemaIsPrinted(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"config", "schema"}, &out, io.Discard); err != nil || !bytes.Equal(out.Bytes(), configSchema) {
		t.Errorf("config schema printed %d bytes (%v), want the %d of the file", out.Len(), err, len(configSchema))
	}
}

// What the schema calls a type is what the reader accepts: examples of each are read.
func TestSchemaAndReaderAgreeOnAttributes(t *testing.T) {
	var c config
	err := yaml.Unmarshal([]byte("queues: [{name: q, attributes: {Policy: {Statement: [{Effect: Allow}]}, SqsManagedSseEnabled: false}}]"), &c)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.Resources.Queues[0].Attributes["Policy"].value, `{"Statement":[{"Effect":"Allow"}]}`; got != want {
		t.Errorf("Policy = %s, want %s", got, want)
	}
}
