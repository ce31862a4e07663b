package sqs

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/sluicemq/sluice/protocols"
)

const (
	ownerARN  = "arn:aws:sqs:us-east-1:000000000000:q"
	ownerURL  = "http://localhost:9324/000000000000/q"
	neighbour = "123456789012"
)

// neighbours verifies the keys of two accounts, one of which has users.
func neighbours(site *protocols.Site) {
	verifying(site)
	allow := func(action, resource string) string {
		return `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"` + action + `","Resource":"` + resource + `"}]}`
	}
	site.Credentials["SENDER"] = protocols.Credential{Secret: exampleSecret, User: "sender", Policy: allow("sqs:SendMessage", ownerARN)}
	site.Credentials["READER"] = protocols.Credential{Secret: exampleSecret, Account: neighbour, User: "reader", Policy: allow("sqs:ReceiveMessage", "*")}
	site.Credentials["SESSION"] = protocols.Credential{Secret: exampleSecret, Role: "deploy", Session: "ci", Policy: allow("sqs:PurgeQueue", "arn:aws:sqs:*:*:${aws:RequestedRegion}")}
	site.Credentials["GUEST"] = protocols.Credential{Secret: exampleSecret, Account: neighbour, Role: "guest", Session: "ci"}
	site.Credentials["BROKEN"] = protocols.Credential{Secret: exampleSecret, User: "broken", Policy: "{"}
	site.Credentials["DENIED"] = protocols.Credential{Secret: exampleSecret, User: "denied", Policy: `{"Statement":[
		{"Effect":"Allow","Action":"sqs:*","Resource":"*"},{"Effect":"Deny","Action":"sqs:PurgeQueue","Resource":"*"}]}`}
}

// keyed returns the official client with one of the keys.
func keyed(s *server, protocol, key string) *sqs.Client {
	return signingClient(s, protocol, aws.Credentials{AccessKeyID: key, SecretAccessKey: exampleSecret}, 0, nil)
}

// sharing is a server with a queue q of the home account that has a policy.
func sharing(t *testing.T, protocol string, statements string) *server {
	t.Helper()
	s := newServer(t, neighbours)
	attributes := map[string]string{}
	if statements != "" {
		attributes["Policy"] = `{"Version":"2012-10-17","Statement":[` + statements + `]}`
	}
	if _, err := keyed(s, protocol, "AKIDEXAMPLE").CreateQueue(t.Context(), &sqs.CreateQueueInput{
		QueueName: aws.String("q"), Attributes: attributes, Tags: map[string]string{"team": "shop"},
	}); err != nil {
		t.Fatal(err)
	}
	return s
}

func send(ctx context.Context, c *sqs.Client) error {
	_, err := c.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String(ownerURL), MessageBody: aws.String("x")})
	return err
}

func receive(ctx context.Context, c *sqs.Client) error {
	_, err := c.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: aws.String(ownerURL)})
	return err
}

func purge(ctx context.Context, c *sqs.Client) error {
	_, err := c.PurgeQueue(ctx, &sqs.PurgeQueueInput{QueueUrl: aws.String(ownerURL)})
	return err
}

func deleteQueue(ctx context.Context, c *sqs.Client) error {
	_, err := c.DeleteQueue(ctx, &sqs.DeleteQueueInput{QueueUrl: aws.String(ownerURL)})
	return err
}

func list(ctx context.Context, c *sqs.Client) error {
	_, err := c.ListQueues(ctx, &sqs.ListQueuesInput{})
	return err
}

func statement(effect, principal, action, more string) string {
	return fmt.Sprintf(`{"Effect":%q,"Principal":%s,"Action":%q,"Resource":%q%s}`, effect, principal, action, ownerARN, more)
}

func TestPoliciesDecideWhoMayDoWhat(t *testing.T) {
	const (
		everybody = `"*"`
		them      = `{"AWS":"` + neighbour + `"}`
		reader    = `{"AWS":"arn:aws:iam::123456789012:user/reader"}`
		root      = "User: arn:aws:iam::123456789012:root"
		session   = "User: arn:aws:sts::000000000000:assumed-role/deploy/ci is not authorized to perform: "
		guest     = "User: arn:aws:sts::123456789012:assumed-role/guest/ci is not authorized to perform: "
	)
	for _, tt := range []struct {
		name, policy, key string
		call              func(context.Context, *sqs.Client) error
		denied            string // empty: allowed
	}{
		{"one's own queue", "", "AKIDEXAMPLE", send, ""},
		{"another account's", "", "AKIDOTHER", send, root + " is not authorized to perform: sqs:sendmessage on resource: " + ownerARN + " because no resource-based policy allows the sqs:sendmessage action"},
		{"another account's, allowed", statement("Allow", them, "sqs:SendMessage", ""), "AKIDOTHER", send, ""},
		{"allowed to everybody", statement("Allow", everybody, "SQS:*", ""), "AKIDOTHER", receive, ""},
		{"another action allowed", statement("Allow", them, "sqs:SendMessage", ""), "AKIDOTHER", receive, root + " is not authorized to perform: sqs:receivemessage on resource: " + ownerARN + " because no resource-based policy allows the sqs:receivemessage action"},
		{"never granted", statement("Allow", them, "sqs:*", ""), "AKIDOTHER", deleteQueue, root + " is not authorized to perform: sqs:deletequeue on resource: " + ownerARN + " because no resource-based policy allows the sqs:deletequeue action"},
		{"denied to its own account", statement("Deny", everybody, "sqs:SendMessage", ""), "AKIDEXAMPLE", send, "User: arn:aws:iam::000000000000:root is not authorized to perform: sqs:sendmessage on resource: " + ownerARN + " with an explicit deny in a resource-based policy"},
		{"denied and allowed", statement("Deny", them, "sqs:*", "") + "," + statement("Allow", everybody, "sqs:*", ""), "AKIDOTHER", send, root + " is not authorized to perform: sqs:sendmessage on resource: " + ownerARN + " with an explicit deny in a resource-based policy"},
		{"a condition that holds", statement("Allow", everybody, "sqs:*", `,"Condition":{"ArnLike":{"aws:PrincipalArn":"arn:aws:iam::123456789012:*"}}`), "AKIDOTHER", send, ""},
		{"a condition that does not", statement("Allow", everybody, "sqs:*", `,"Condition":{"ArnLike":{"aws:SourceArn":"arn:aws:sns:*:*:*"}}`), "AKIDOTHER", send, root + " is not authorized to perform: sqs:sendmessage on resource: " + ownerARN + " because no resource-based policy allows the sqs:sendmessage action"},
		{"only over HTTPS", statement("Deny", everybody, "sqs:*", `,"Condition":{"Bool":{"aws:SecureTransport":"false"}}`), "AKIDEXAMPLE", send, "User: arn:aws:iam::000000000000:root is not authorized to perform: sqs:sendmessage on resource: " + ownerARN + " with an explicit deny in a resource-based policy"},
		{"a user within the policy", "", "SENDER", send, ""},
		{"a user beyond the policy", "", "SENDER", receive, "User: arn:aws:iam::000000000000:user/sender is not authorized to perform: sqs:receivemessage on resource: " + ownerARN + " because no identity-based policy allows the sqs:receivemessage action"},
		{"a user whom the queue allows", statement("Allow", `{"AWS":"arn:aws:iam::000000000000:user/sender"}`, "sqs:ReceiveMessage", ""), "SENDER", receive, ""},
		{"a user without lists", "", "SENDER", list, "User: arn:aws:iam::000000000000:user/sender is not authorized to perform: sqs:listqueues on resource: arn:aws:sqs:us-east-1:000000000000: because no identity-based policy allows the sqs:listqueues action"},
		{"a user whom the own policy denies", "", "DENIED", purge, "User: arn:aws:iam::000000000000:user/denied is not authorized to perform: sqs:purgequeue on resource: " + ownerARN + " with an explicit deny in an identity-based policy"},
		{"a user of another account, both allow", statement("Allow", reader, "sqs:ReceiveMessage", ""), "READER", receive, ""},
		{"a user of another account, the queue alone", statement("Allow", them, "sqs:SendMessage", ""), "READER", send, "User: arn:aws:iam::123456789012:user/reader is not authorized to perform: sqs:sendmessage on resource: " + ownerARN + " because no identity-based policy allows the sqs:sendmessage action"},
		{"a user of another account, the own policy alone", "", "READER", receive, "User: arn:aws:iam::123456789012:user/reader is not authorized to perform: sqs:receivemessage on resource: " + ownerARN + " because no resource-based policy allows the sqs:receivemessage action"},
		{"a user's account alone", statement("Allow", `{"AWS":"000000000000"}`, "sqs:ReceiveMessage", ""), "SENDER", receive, "User: arn:aws:iam::000000000000:user/sender is not authorized to perform: sqs:receivemessage on resource: " + ownerARN + " because no identity-based policy allows the sqs:receivemessage action"},
		{"another account's user by its account", statement("Allow", them, "sqs:ReceiveMessage", ""), "READER", receive, ""},
		{"a session by its name", statement("Allow", `{"AWS":"arn:aws:sts::000000000000:assumed-role/deploy/ci"}`, "sqs:SendMessage", ""), "SESSION", send, ""},
		{"a session by its role", statement("Allow", `{"AWS":"arn:aws:iam::000000000000:role/deploy"}`, "sqs:SendMessage", ""), "SESSION", send, ""},
		{"a session by a key", statement("Allow", everybody, "sqs:SendMessage", `,"Condition":{"StringEquals":{"aws:PrincipalType":"AssumedRole"},"ArnEquals":{"aws:PrincipalArn":"arn:aws:iam::*:role/deploy"}}`), "SESSION", send, ""},
		{"another session of the role", statement("Allow", `{"AWS":"arn:aws:sts::000000000000:assumed-role/deploy/other"}`, "sqs:SendMessage", ""), "SESSION", send, session + "sqs:sendmessage on resource: " + ownerARN + " because no identity-based policy allows the sqs:sendmessage action"},
		{"a session beyond its policy", "", "SESSION", purge, session + "sqs:purgequeue on resource: " + ownerARN + " because no identity-based policy allows the sqs:purgequeue action"},
		{"a session of another account", statement("Allow", `{"AWS":"arn:aws:iam::123456789012:role/guest"}`, "sqs:SendMessage", ""), "GUEST", send, ""},
		{"a session of another account, denied", statement("Deny", `{"AWS":"arn:aws:iam::123456789012:role/guest"}`, "sqs:*", "") + "," + statement("Allow", them, "sqs:*", ""), "GUEST", send, guest + "sqs:sendmessage on resource: " + ownerARN + " with an explicit deny in a resource-based policy"},
		{"a session of another account, not named", statement("Allow", `{"AWS":"arn:aws:iam::123456789012:user/guest"}`, "sqs:*", ""), "GUEST", send, guest + "sqs:sendmessage on resource: " + ownerARN + " because no resource-based policy allows the sqs:sendmessage action"},
		{"all are denied but the session", `{"Effect":"Deny","NotPrincipal":{"AWS":["arn:aws:iam::000000000000:root","arn:aws:iam::000000000000:role/deploy","arn:aws:sts::000000000000:assumed-role/deploy/ci"]},"Action":"sqs:*","Resource":"*"},` + statement("Allow", everybody, "sqs:*", ""), "SESSION", send, ""},
		{"the session is one of all", `{"Effect":"Deny","NotPrincipal":{"AWS":"arn:aws:iam::000000000000:root"},"Action":"sqs:*","Resource":"*"},` + statement("Allow", everybody, "sqs:*", ""), "SESSION", send, session + "sqs:sendmessage on resource: " + ownerARN + " with an explicit deny in a resource-based policy"},
		{"with a tag", statement("Allow", everybody, "sqs:*", `,"Condition":{"StringEquals":{"aws:ResourceTag/Team":"shop"}}`), "AKIDOTHER", send, ""},
		{"with another tag", statement("Allow", everybody, "sqs:*", `,"Condition":{"StringEqualsIfExists":{"aws:ResourceTag/team":"office"}}`), "AKIDOTHER", send, root + " is not authorized to perform: sqs:sendmessage on resource: " + ownerARN + " because no resource-based policy allows the sqs:sendmessage action"},
		{"keys that are there", statement("Allow", everybody, "sqs:*", `,"Condition":{"ForAnyValue:StringLike":{"aws:UserAgent":"*aws-sdk-go*"},"NumericGreaterThan":{"aws:EpochTime":1000000000},"Null":{"aws:TokenIssueTime":"true","aws:SourceVpce":"true","aws:Referer":"true"},"StringEquals":{"aws:ResourceAccount":"000000000000","aws:PrincipalAccount":"123456789012"}}`), "AKIDOTHER", send, ""},
		{"keys that are not known", statement("Deny", everybody, "sqs:*", `,"Condition":{"StringNotEquals":{"aws:PrincipalOrgID":"o-1"}}`), "AKIDEXAMPLE", send, "User: arn:aws:iam::000000000000:root is not authorized to perform: sqs:sendmessage on resource: " + ownerARN + " with an explicit deny in a resource-based policy"},
		{"a policy that cannot be read", "", "BROKEN", send, "User: arn:aws:iam::000000000000:user/broken is not authorized to perform: sqs:sendmessage on resource: " + ownerARN + " because no identity-based policy allows the sqs:sendmessage action"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBothProtocols(t, func(t *testing.T, protocol string) {
				s := sharing(t, protocol, tt.policy)
				switch err := tt.call(t.Context(), keyed(s, protocol, tt.key)); {
				case tt.denied != "":
					wantCode(t, tt.name, err, protocol, "AccessDenied", tt.denied)
				case err != nil:
					t.Error(err)
				}
			})
		})
	}
}

// Which of them a condition means is not known, so that neither allows anything and both deny.
func TestTagsThatDifferInCaseAllowNothing(t *testing.T) {
	for effect, value := range map[string]string{"Allow": "shop", "Deny": "neither"} {
		tagged := func(tag string) string {
			return statement(effect, `"*"`, "sqs:SendMessage", `,"Condition":{"StringEquals":{"aws:ResourceTag/`+tag+`":"`+value+`"}}`)
		}
		s := sharing(t, "JSON", tagged("team")+","+statement("Allow", `{"AWS":"`+neighbour+`"}`, "sqs:ReceiveMessage", ""))
		owner := keyed(s, "JSON", "AKIDEXAMPLE")
		if err := send(t.Context(), keyed(s, "JSON", "AKIDOTHER")); (err == nil) != (effect == "Allow") {
			t.Errorf("%s: SendMessage with one tag: %v", effect, err)
		}
		if _, err := owner.TagQueue(t.Context(), &sqs.TagQueueInput{QueueUrl: aws.String(ownerURL), Tags: map[string]string{"Team": "x", "TEAM": "shop"}}); err != nil {
			t.Fatal(err)
		}
		if err := send(t.Context(), keyed(s, "JSON", "AKIDOTHER")); err == nil {
			t.Errorf("%s: SendMessage with three tags was done", effect)
		}
		if err := send(t.Context(), owner); (err == nil) != (effect == "Allow") {
			t.Errorf("%s: SendMessage of the owner: %v", effect, err)
		}
	}
}

func TestTagsOfANewQueueNeedAPermissionOfTheirOwn(t *testing.T) {
	s := newServer(t, neighbours, func(site *protocols.Site) {
		site.Credentials["MAKER"] = protocols.Credential{Secret: exampleSecret, User: "maker", Policy: `{"Statement":{"Effect":"Allow","Action":"sqs:CreateQueue","Resource":"*"}}`}
	})
	c := keyed(s, "JSON", "MAKER")
	_, err := c.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String("q"), Tags: map[string]string{"a": "b"}})
	wantCode(t, "CreateQueue with tags", err, "JSON", "AccessDenied", "User: arn:aws:iam::000000000000:user/maker is not authorized to perform: sqs:tagqueue on resource: "+ownerARN+" because no identity-based policy allows the sqs:tagqueue action")
	if _, err := c.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String("q")}); err != nil {
		t.Errorf("CreateQueue without tags: %v", err)
	}
}

func TestMovesNeedWhatTheyDo(t *testing.T) {
	const dead, target = "arn:aws:sqs:us-east-1:000000000000:dead", "arn:aws:sqs:us-east-1:000000000000:target"
	allow := func(actions, resource string) string {
		return `{"Effect":"Allow","Action":[` + actions + `],"Resource":"` + resource + `"}`
	}
	const all = `"sqs:StartMessageMoveTask","sqs:ListMessageMoveTasks","sqs:ReceiveMessage","sqs:DeleteMessage","sqs:GetQueueAttributes"`
	for _, tt := range []struct{ statements, denied string }{
		{allow(all, dead) + "," + allow(`"sqs:SendMessage"`, target), ""},
		{allow(all, dead), "sqs:sendmessage on resource: " + target},
		{allow(all, "*"), "sqs:sendmessage on resource: " + target},
		{allow(`"sqs:StartMessageMoveTask","sqs:ListMessageMoveTasks","sqs:SendMessage"`, "*"), "sqs:receivemessage on resource: " + dead},
	} {
		s := newServer(t, neighbours, func(site *protocols.Site) {
			site.Credentials["MOVER"] = protocols.Credential{Secret: exampleSecret, User: "mover", Policy: `{"Statement":[` + tt.statements + `]}`}
		})
		owner, mover := keyed(s, "JSON", "AKIDEXAMPLE"), keyed(s, "JSON", "MOVER")
		for _, name := range []string{"dead", "target", "q"} {
			in := &sqs.CreateQueueInput{QueueName: &name}
			if name == "q" {
				in.Attributes = map[string]string{"RedrivePolicy": `{"deadLetterTargetArn":"` + dead + `","maxReceiveCount":1}`}
			}
			if _, err := owner.CreateQueue(t.Context(), in); err != nil {
				t.Fatal(err)
			}
		}
		_, err := mover.StartMessageMoveTask(t.Context(), &sqs.StartMessageMoveTaskInput{SourceArn: aws.String(dead), DestinationArn: aws.String(target)})
		if (err == nil) != (tt.denied == "") || err != nil && !strings.Contains(err.Error(), tt.denied) {
			t.Errorf("%s: StartMessageMoveTask: %v, want %q", tt.statements, err, tt.denied)
		}
		_, err = mover.ListMessageMoveTasks(t.Context(), &sqs.ListMessageMoveTasksInput{SourceArn: aws.String(dead)})
		if receives := strings.Contains(tt.statements, "ReceiveMessage"); (err == nil) != receives {
			t.Errorf("%s: ListMessageMoveTasks: %v, want allowed %v", tt.statements, err, receives)
		}
	}
}

// Not even to a queue that everybody may send to.
func TestMovesStayWithinAnAccount(t *testing.T) {
	s := sharing(t, "JSON", "")
	owner, other := keyed(s, "JSON", "AKIDEXAMPLE"), keyed(s, "JSON", "AKIDOTHER")
	if _, err := owner.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String("source"), Attributes: map[string]string{
		"RedrivePolicy": `{"deadLetterTargetArn":"` + ownerARN + `","maxReceiveCount":1}`,
	}}); err != nil {
		t.Fatal(err)
	}
	if _, err := other.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String("away"), Attributes: map[string]string{
		"Policy": `{"Statement":[{"Effect":"Allow","Principal":"*","Action":"sqs:*"}]}`,
	}}); err != nil {
		t.Fatal(err)
	}
	away := "arn:aws:sqs:us-east-1:" + neighbour + ":away"
	_, err := owner.StartMessageMoveTask(t.Context(), &sqs.StartMessageMoveTaskInput{SourceArn: aws.String(ownerARN), DestinationArn: &away})
	wantCode(t, "StartMessageMoveTask to another account", err, "JSON", "AccessDenied", "User: arn:aws:iam::000000000000:root is not authorized to perform: sqs:startmessagemovetask on resource: "+away+" because no resource-based policy allows the sqs:startmessagemovetask action")
	if _, err := owner.StartMessageMoveTask(t.Context(), &sqs.StartMessageMoveTaskInput{SourceArn: aws.String(ownerARN)}); err != nil {
		t.Errorf("StartMessageMoveTask back to the sources: %v", err)
	}
}

func TestAddPermissionOpensAQueueAndRemovePermissionClosesIt(t *testing.T) {
	inBothProtocols(t, func(t *testing.T, protocol string) {
		s := sharing(t, protocol, "")
		owner, other := keyed(s, protocol, "AKIDEXAMPLE"), keyed(s, protocol, "AKIDOTHER")
		batch := func() error {
			_, err := other.SendMessageBatch(t.Context(), &sqs.SendMessageBatchInput{QueueUrl: aws.String(ownerURL)})
			return err
		}
		if _, err := owner.AddPermission(t.Context(), &sqs.AddPermissionInput{
			QueueUrl: aws.String(ownerURL), Label: aws.String("share"), AWSAccountIds: []string{neighbour}, Actions: []string{"SendMessage"},
		}); err != nil {
			t.Fatal(err)
		}
		if err := send(t.Context(), other); err != nil {
			t.Errorf("SendMessage with the permission: %v", err)
		}
		if err := batch(); err == nil || strings.Contains(err.Error(), "AccessDenied") {
			t.Errorf("SendMessageBatch with the permission: %v, want only that it is empty", err)
		}
		if _, err := owner.RemovePermission(t.Context(), &sqs.RemovePermissionInput{QueueUrl: aws.String(ownerURL), Label: aws.String("share")}); err != nil {
			t.Fatal(err)
		}
		if err := send(t.Context(), other); err == nil {
			t.Error("SendMessage without the permission was done")
		}
	})
}

func TestUnsignedRequestsPassWhereEverybodyMay(t *testing.T) {
	ask := func(s *server, form string) int {
		return s.do(httptest.NewRequest(http.MethodGet, "http://localhost:9324/000000000000/q?"+form, nil)).status
	}
	s := sharing(t, "JSON", statement("Allow", `"*"`, "sqs:ReceiveMessage", ""))
	for form, want := range map[string]int{
		"Action=ReceiveMessage": 200, "Action=SendMessage&MessageBody=x": 403, "Action=DeleteQueue": 403, "Action=Nonsense": 403, "Action=ListQueues": 403,
	} {
		if got := ask(s, form); got != want {
			t.Errorf("%s = %d, want %d", form, got, want)
		}
	}
	if got := ask(sharing(t, "JSON", statement("Allow", `{"AWS":"000000000000"}`, "sqs:*", "")), "Action=ReceiveMessage"); got != 403 {
		t.Errorf("a queue for its account = %d, want 403", got)
	}
	if got := ask(sharing(t, "JSON", statement("Deny", `"*"`, "sqs:*", "")), "Action=ReceiveMessage"); got != 403 {
		t.Errorf("a queue for nobody = %d, want 403", got)
	}
}
