package migration_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/cmd/sluice/internal/migration"
)

// The template has what a template can have that depends on parameters, regions and conditions, and what SAM makes of it.
func TestCloudFormationThatDependsOnWhereItRuns(t *testing.T) {
	policy := `{"Statement":[{"Action":"sqs:ReceiveMessage","Condition":{"ArnLike":{"aws:PrincipalArn":"arn:aws:iam::000000000000:role/reader"}},"Effect":"Allow","Principal":{"AWS":["111111111111","222222222222"]},"Resource":"arn:aws:sqs:eu-west-1:000000000000:shop-orders-test.fifo"}],"Version":"2012-10-17"}`
	compare(t, read(t, "cloudformation", "shop.yaml", map[string]string{"AWS::Region": "eu-west-1"}), migration.Result{Options: sluice.Options{
		SQS: sluice.Home{Account: "000000000000", Region: "eu-west-1"}, MNS: sluice.DefaultMNS,
		Resources: sluice.Resources{Queues: []sluice.Queue{
			{Name: "NightlyDead"},
			{Name: "Odd"},
			{Name: "only-eu-west-1"},
			{
				Name: "shop-orders-test.fifo", FIFO: true, ContentDedup: new(true), Wait: s(5), Visibility: s(45), Retention: s(1209600), Delay: s(1),
				DeadLetter: &sluice.DeadLetter{Queue: "shop-dead-test.fifo", MaxReceives: 4}, Tags: map[string]string{"stage": "test"},
				Attributes: map[string]string{"Policy": policy},
			},
			{Name: "shop-dead-test.fifo", FIFO: true, Attributes: map[string]string{"RedriveAllowPolicy": `{"redrivePermission":"allowAll"}`, "Policy": policy}},
			{Name: "WorkerFedQueue"},
		}},
	}},
		"line 63: Odd: condition InChina is taken to be true: parameter Secret has no value",
		"line 55: OnlyProd: it is left out, since condition IsProd does not hold",
		"line 90: NightlyDead: it has no name of its own",
		"line 67: Odd: QueueName: parameter Secret has no value: it is Odd here",
		"line 90: WorkerFedQueue: it has no name of its own",
		"line 82: Feed: AWS::SNS::Topic has no counterpart",
		"line 100: Fn::ForEach::Each: it cannot be resolved: its resources are left out",
		"line 68: Odd: DelaySeconds: Fn::Select has no element 3 of 2: it is left out",
		"line 69: Odd: VisibilityTimeout: {{resolve:ssm:/shop/visibility}} cannot be looked up: it is left out",
		"line 84: Subscription: AWS::SNS::Subscription has no counterpart",
		"resources of other services are left out: AWS::IAM::Role, AWS::Serverless::Function",
	)
}

func TestQueuesOfFunctionsAreThereWhereTheFunctionIs(t *testing.T) {
	const template = `Parameters: {Stage: {Type: String}}
Conditions: {IsProd: !Equals [!Ref Stage, prod]}
Resources:
  Worker:
    Type: AWS::Serverless::Function
    Condition: IsProd
    Properties: {Events: {News: {Type: SNS, Properties: {Topic: x, SqsSubscription: true}}}}
`
	for stage, want := range map[string]int{"prod": 1, "dev": 0} {
		r, err := migration.Read("cloudformation", []byte(template), map[string]string{"Stage": stage})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Options.Resources.Queues; len(got) != want {
			t.Errorf("in stage %s there are %v, want %d queues", stage, got, want)
		}
	}
}

func TestCloudFormationTakesTheValuesOfParameters(t *testing.T) {
	r := read(t, "cloudformation", "shop.yaml", map[string]string{"Stage": "prod", "Fifo": "false", "Readers": "333333333333", "Secret": "x", "AWS::Region": "cn-north-1"})
	var names []string
	for _, q := range r.Options.Resources.Queues {
		names = append(names, q.Name)
	}
	want := []string{"NightlyDead", "x-queue", "only-cn-north-1", "only-prod", "shop-orders-prod", "shop-dead-prod.fifo", "WorkerFedQueue"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("queues (-want +got):\n%s", diff)
	}
	if q := r.Options.Resources.Queues[4]; q.FIFO || q.DeadLetter != nil || q.Tags["pager"] != "on" || !strings.Contains(q.Attributes["Policy"], `{"AWS":["333333333333"]}`) ||
		!strings.Contains(q.Attributes["Policy"], "arn:aws-cn:iam::000000000000:role/reader") {
		t.Errorf("queue = %+v, want what holds in production", q)
	}
}

// Each function stands in the name of a queue; an error is the warning.
func TestFunctionsOfCloudFormation(t *testing.T) {
	deep := strings.Repeat(`{"Fn::Join": ["", [`, 40) + `"x"` + strings.Repeat(`]]}`, 40)
	for _, tt := range []struct{ function, want, warning string }{
		{`{"Fn::Join": ["-", ["a", 1, true]]}`, "a-1-true", ""},
		{`{"Fn::Join": ["-", {"Ref": "List"}]}`, "a-b", ""},
		{`{"Fn::Join": ["-", [["a"]]]}`, "", "Fn::Join: a list or a section stands where a text has to"},
		{`{"Fn::Join": ["-", "a"]}`, "", "Fn::Join wants a list"},
		{`{"Fn::Join": ["-"]}`, "", "Fn::Join has 1 arguments, want 2"},
		{`{"Fn::Join": "a"}`, "", "Fn::Join wants a list"},
		{`{"Fn::Select": ["1", {"Ref": "List"}]}`, "b", ""},
		{`{"Fn::Select": [2, {"Ref": "List"}]}`, "", "Fn::Select has no element 2 of 2"},
		{`{"Fn::Select": [-1, ["a"]]}`, "", "Fn::Select has no element -1 of 1"},
		{`{"Fn::Select": [0, {"Fn::Split": ["/", "x/y"]}]}`, "x", ""},
		{`{"Fn::Split": ["", "x"]}`, "", "Fn::Split wants a separator"},
		{`{"Fn::Split": ["x", ["x"]]}`, "", "Fn::Split: a list or a section"},
		{`{"Fn::FindInMap": ["M", {"Ref": "AWS::Region"}, "k"]}`, "mapped", ""},
		{`{"Fn::FindInMap": ["M", "x", "k", {"DefaultValue": "d"}]}`, "d", ""},
		{`{"Fn::FindInMap": ["M", "x", "k", 1]}`, "", "M has no k of x"},
		{`{"Fn::If": ["Yes", "a", {"Ref": "Nothing"}]}`, "a", ""},
		{`{"Fn::If": ["No", {"Ref": "Nothing"}, "b"]}`, "b", ""},
		{`{"Fn::If": ["Missing", "a", "b"]}`, "", "there is no condition Missing"},
		{`{"Fn::If": ["Circle", "a", "b"]}`, "", "condition Circle is made of itself"},
		{`{"Fn::If": ["Odd", "a", "b"]}`, "", "Fn::Contains cannot be decided"},
		{`{"Fn::If": ["Text", "a", "b"]}`, "", "a condition is made of"},
		{`{"Fn::If": ["Three", "a", "b"]}`, "", "Fn::Equals has 3 values, want 2"},
		{`{"Fn::If": ["Empty", "a", "b"]}`, "", "Fn::Not wants a list"},
		{`{"Fn::If": ["Yes", "a"]}`, "", "Fn::If wants a condition and two values"},
		{`{"Fn::If": ["Either", "a", "b"]}`, "a", ""},
		{`{"Fn::If": ["Both", "a", "b"]}`, "b", ""},
		{`{"Fn::If": ["Unknown", "a", "b"]}`, "", "Nothing has no value"},
		{`{"Fn::If": ["Numbers", "a", "b"]}`, "a", ""},
		{`{"Fn::Length": {"Ref": "List"}}`, "", "it has no name"}, // a number is no name
		{`{"Fn::Sub": "${Text}-${!Text}-${AWS::Region}"}`, "", `"t-${Text}-us-east-1" is not a name`},
		{`{"Fn::Sub": ["${Own}-${D}", {"Own": {"Fn::Join": ["", ["o", "wn"]]}, "D": "d"}]}`, "own-d", ""},
		{`{"Fn::Sub": "${D.QueueName}2"}`, "dead2", ""},
		{`{"Fn::Sub": "${List}"}`, "", "Fn::Sub: ${List}: a list"},
		{`{"Fn::Sub": 1}`, "", "Fn::Sub wants a text"},
		{`{"Fn::Sub": "${Gone}"}`, "", "Gone has no value"},
		{`{"Fn::GetAtt": "D.QueueName"}`, "dead", "is there twice"},
		{`{"Fn::GetAtt": ["D", "Color"]}`, "", "D.Color has no value"},
		{`{"Fn::GetAtt": ["Topic", "TopicName"]}`, "", "Topic.TopicName has no value"},
		{`{"Fn::Select": [5, {"Fn::Split": [":", {"Ref": "Topic"}]}]}`, "Topic", ""},
		{`{"Ref": "Bucket"}`, "pictures", ""},
		{`{"Fn::Select": [5, {"Fn::Split": [":", {"Fn::GetAtt": ["Bucket", "Arn"]}]}]}`, "pictures", ""},
		{`{"Fn::Select": [4, {"Fn::Split": [":", {"Ref": "AWS::StackId"}]}]}`, "000000000000", ""},
		{`{"Ref": "AWS::NotificationARNs"}`, "", "it has no name"},
		{`{"Fn::Transform": {"Name": "x"}}`, "", "Fn::Transform cannot be resolved"},
		{deep, "", "more than 32 functions in each other"},
	} {
		r, err := migration.Read("cloudformation", fmt.Appendf(nil, `{
			"Parameters": {"List": {"Type": "CommaDelimitedList", "Default": "a, b"}, "Text": {"Type": "String", "Default": "t"}, "Nothing": {"Type": "String"}},
			"Mappings": {"M": {"us-east-1": {"k": "mapped"}}},
			"Conditions": {
				"Yes": {"Fn::Equals": ["a", "a"]}, "No": {"Fn::Not": [{"Condition": "Yes"}]}, "Numbers": {"Fn::Equals": [1, "1"]},
				"Circle": {"Fn::And": [{"Condition": "Yes"}, {"Condition": "Circle"}]}, "Odd": {"Fn::Contains": [["a"], "a"]}, "Text": "Yes",
				"Three": {"Fn::Equals": ["a", "a", "a"]}, "Empty": {"Fn::Not": []},
				"Unknown": {"Fn::Equals": [{"Ref": "Nothing"}, "a"]},
				"Either": {"Fn::Or": [{"Condition": "Unknown"}, {"Condition": "Yes"}]}, "Both": {"Fn::And": [{"Condition": "Unknown"}, {"Condition": "No"}]}
			},
			"Resources": {
				"Q": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": %s}}, "D": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "dead"}},
				"Topic": {"Type": "AWS::SNS::Topic"}, "Bucket": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "pictures"}}
			}}`, tt.function), nil)
		if err != nil {
			t.Errorf("%s: %v", tt.function, err)
			continue
		}
		queues, warnings := r.Options.Resources.Queues, strings.Join(r.Warnings, "\n")
		name := queues[len(queues)-1].Name
		if tt.want != "" && name != tt.want || tt.warning != "" && !strings.Contains(warnings, tt.warning) || tt.warning == "" && strings.Contains(warnings, "Q: ") {
			t.Errorf("%.80s = %s, want %s and a warning %q:\n%s", tt.function, name, tt.want, tt.warning, warnings)
		}
	}
}

// Little text that comes to much is bounded, and in time.
func TestHostileTemplatesAreBounded(t *testing.T) {
	var conditions strings.Builder // each is made twice of the next
	for i := range 30 {
		fmt.Fprintf(&conditions, "  C%d: !And [!Condition C%d, !Condition C%d]\n", i, i+1, i+1)
	}
	for name, text := range map[string]string{
		"references": "Parameters:\n  P: {Type: String, Default: " + strings.Repeat("x", 1<<16) + "}\nResources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties:\n      QueueName: !Sub '" +
			strings.Repeat("${P}", 1<<14) + "'\n",
		"lists": "Parameters:\n  P: {Type: CommaDelimitedList, Default: '" + strings.Repeat(",", 1<<16) + "'}\nResources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties:\n      QueueName: !Join ['', [" +
			strings.Repeat("!Select [0, !Ref P],", 1<<10) + "]]\n",
	} {
		start := time.Now()
		r, err := migration.Read("cloudformation", []byte(text), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Join(r.Warnings, "\n"); !strings.Contains(got, "the functions of the template come to more than") {
			t.Errorf("%s: warnings %.200q, want one that it is too much", name, got)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
	}
	text := "Conditions:\n" + conditions.String() + "  C30: !Equals [a, a]\nResources:\n  Q: {Type: AWS::SQS::Queue, Condition: C20, Properties: {QueueName: q}}\n"
	r, err := migration.Read("cloudformation", []byte(text), nil)
	if err != nil || len(r.Options.Resources.Queues) != 1 || len(r.Warnings) != 0 {
		t.Errorf("conditions that are made of conditions = %+v, %v, want one queue", r, err)
	}
}
