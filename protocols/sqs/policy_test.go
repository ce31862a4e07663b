package sqs

import "testing"

func TestSetPolicy(t *testing.T) {
	statement := `{"Effect":"Allow","Principal":"*","Action":"sqs:*","Resource":"*"}`
	for _, tt := range []struct {
		name, policy string
		ok           bool
	}{
		{"a list", `{"Version":"2012-10-17","Statement":[` + statement + `]}`, true},
		{"one statement", `{"Statement":` + statement + `}`, true},
		{"nothing", ``, true},
		{"no JSON", `{`, false},
		{"no object", `[]`, false},
		{"text after it", `{"Statement":[` + statement + `]} x`, false},
		{"no statement", `{"Version":"2012-10-17"}`, false},
		{"an empty list", `{"Statement":[]}`, false},
		{"an unknown version", `{"Version":"2020-01-01","Statement":[` + statement + `]}`, false},
		{"no effect", `{"Statement":[{"Principal":"*","Action":"sqs:*"}]}`, false},
		{"an unknown effect", `{"Statement":[{"Effect":"Maybe","Principal":"*","Action":"sqs:*"}]}`, false},
		{"no principal", `{"Statement":[{"Effect":"Deny","Action":"sqs:*"}]}`, false},
		{"no action", `{"Statement":[{"Effect":"Deny","Principal":"*"}]}`, false},
		{"the other principal and action", `{"Statement":[{"Effect":"Deny","NotPrincipal":"*","NotAction":"sqs:*"}]}`, true},
		{"conditions", `{"Statement":[{"Effect":"Deny","Principal":"*","Action":"sqs:*","Condition":{}}]}`, true},
		{"null for conditions", `{"Statement":[{"Effect":"Deny","Principal":"*","Action":"sqs:*","Condition":null}]}`, false},
		{"null for a resource", `{"Statement":[{"Effect":"Deny","Principal":"*","Action":"sqs:*","Resource":null}]}`, false},
		{"a text for a statement", `{"Statement":["x"]}`, false},
		{"a member that there is not", `{"Statement":[{"Effect":"Deny","Principal":"*","Action":"sqs:*","Conditions":{}}]}`, false},
		{"a principal that is none", `{"Statement":[{"Effect":"Deny","Principal":"000000000000","Action":"sqs:*"}]}`, false},
		{"a part of a principal", `{"Statement":[{"Effect":"Deny","Principal":{"AWS":"arn:aws:iam::000000000000:user/*"},"Action":"sqs:*"}]}`, false},
		{"no actions", `{"Statement":[{"Effect":"Allow","Principal":"*","NotAction":[]}]}`, false},
		{"no values of a condition", `{"Statement":[{"Effect":"Deny","Principal":"*","Action":"sqs:*","Condition":{"Bool":{"aws:SecureTransport":[]}}}]}`, false},
		{"another member", `{"Statement":` + statement + `,"statement":[]}`, false},
		{"what is not understood", `{"Statement":[{"Effect":"Deny","Principal":{"Service":"x"},"Action":"sqs:*","Condition":{"BinaryEquals":{"k":"v"}}}]}`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &draft{}
			if err := d.setPolicy(tt.policy); (err == nil) != tt.ok {
				t.Errorf("setPolicy(%s) = %v, want ok %v", tt.policy, err, tt.ok)
			}
		})
	}
}

func TestSameJSON(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[2]}`, ` {"b":[2], "a":1.0}`, true},
		{`{"a":1}`, `{"a":2}`, false},
		{`{`, `{`, false},
	} {
		if got := sameJSON(tt.a, tt.b); got != tt.want {
			t.Errorf("sameJSON(%s, %s) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}
