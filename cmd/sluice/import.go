package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/cmd/sluice/internal/migration"
)

func importCommand() *cobra.Command {
	kinds := strings.Join(migration.Kinds(), "|")
	c := &cobra.Command{
		Annotations: map[string]string{ownVariables: "IMPORT_"},
		Use:         "import --from " + kinds + " FILE",
		Short:       "Turn the configuration of another emulator, a template or a state into one of Sluice",
		Long: `Turn the configuration of another emulator, a template or a state into one of Sluice.

It prints a configuration file, and on standard error a warning for each thing that has no counterpart. FILE may be - for
standard input.

  elasticmq        the file of ElasticMQ, such as elasticmq.conf
  goaws            the goaws.yaml of GoAWS
  cloudformation   a template in YAML or JSON, also of SAM and of the CDK (cdk synth)
  terraform-state  terraform.tfstate, or what "terraform state pull" prints; queues of both providers`,
		Args: oneArgument("FILE"),
	}
	from := newChoice("", migration.Kinds()...)
	c.Flags().Var(from, "from", "kind of the file")
	given := c.Flags().StringArray("value", nil, "value of a template's parameter as NAME=VALUE, also of AWS::Region and the like; may be given again")
	_ = c.MarkFlagRequired("from") // fails only for a flag that there is not
	c.RunE = func(c *cobra.Command, args []string) error {
		text, err := readInput(args[0], c.InOrStdin())
		if err != nil {
			return err
		}
		values, err := valuesOf(*given)
		if err != nil {
			return err
		}
		return importFrom(from.value, args[0], text, values, c.OutOrStdout(), c.ErrOrStderr())
	}
	return c
}

// valuesOf reads NAME=VALUE. A value may be a list with commas.
func valuesOf(given []string) (map[string]string, error) {
	values := map[string]string{}
	for _, each := range given {
		name, value, ok := strings.Cut(each, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--value is %q, want NAME=VALUE", each)
		}
		values[name] = value
	}
	return values, nil
}

func readInput(path string, stdin io.Reader) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(path)
}

func importFrom(kind, path string, text []byte, values map[string]string, stdout, stderr io.Writer) error {
	r, err := migration.Read(kind, text, values)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, w := range r.Warnings {
		fmt.Fprintln(stderr, "warning:", oneLine(fmt.Errorf("%s: %s", path, w)))
	}
	if _, err := fmt.Fprintf(stdout, "# Made by \"sluice import --from %s\" of %s.\n", kind, oneLine(fmt.Errorf("%s", path))); err != nil {
		return err
	}
	return writeYAML(stdout, configOf(r))
}

// configOf puts a result into the form of the file. What is as it is by default is left out.
func configOf(r *migration.Result) *config {
	var c config
	o := &r.Options
	if r.Listen != "" {
		c.Listen = texts{{value: r.Listen}}
	}
	c.Data, c.PublicURL = given(r.Data), given(o.PublicURL)
	if o.SQS != sluice.DefaultSQS {
		c.SQS.Account, c.SQS.Region = given(o.SQS.Account), given(o.SQS.Region)
	}
	for i := range o.Resources.Queues {
		c.Resources.Queues = append(c.Resources.Queues, queueTextOf(&o.Resources.Queues[i], o.MNS))
	}
	for _, t := range o.Resources.Topics {
		c.Resources.Topics = append(c.Resources.Topics, topicText{
			Name: given(t.Name), Namespace: namespaceOf(t.Namespace, o.MNS), FIFO: flagOf(&t.FIFO), MaxSize: numberOf(t.MaxSize), Logging: boolOf(t.Logging),
		})
	}
	for _, s := range o.Resources.Subscriptions {
		c.Resources.Subscriptions = append(c.Resources.Subscriptions, subscriptionText{
			Topic: given(s.Topic), Name: given(s.Name), Namespace: namespaceOf(s.Namespace, o.MNS), Endpoint: given(s.Endpoint), Queue: given(s.Queue),
			FilterTag: given(s.FilterTag), Strategy: given(s.Strategy), Format: given(s.Format), DeadLetter: given(s.DeadLetter),
		})
	}
	return &c
}

func queueTextOf(q *sluice.Queue, mns sluice.Home) queueText {
	t := queueText{
		Name: given(q.Name), Namespace: namespaceOf(q.Namespace, mns), FIFO: flagOf(&q.FIFO), ContentDedup: boolOf(q.ContentDedup),
		Delay: durationOf(q.Delay), Visibility: durationOf(q.Visibility), Retention: durationOf(q.Retention), Wait: durationOf(q.Wait),
		MaxSize: numberOf(q.MaxSize), Logging: boolOf(q.Logging), TenantRate: numberOf(q.TenantRate),
	}
	if d := q.DeadLetter; d != nil {
		t.DeadLetter = &deadLetterText{Queue: given(d.Queue), MaxReceives: numberOf(&d.MaxReceives)}
	}
	for name, value := range q.Tags {
		if t.Tags == nil {
			t.Tags = map[string]text{}
		}
		t.Tags[name] = text{value: value}
	}
	for name, value := range q.Attributes {
		if t.Attributes == nil {
			t.Attributes = map[string]document{}
		}
		t.Attributes[name] = document{text{value: value}}
	}
	return t
}

// given returns a text of the file, or nil for an empty one.
func given(value string) *text {
	if value == "" {
		return nil
	}
	return &text{value: value}
}

// namespaceOf writes the zero value, which is the home of the provider, as nothing.
func namespaceOf(h, mns sluice.Home) *text {
	switch h {
	case sluice.Home{}:
		return nil
	case mns:
		return given("mns")
	}
	return given(h.Account + "/" + h.Region)
}

// flagOf writes only what is on, boolOf also what is off.
func flagOf(b *bool) *text {
	if !*b {
		return nil
	}
	return boolOf(b)
}

func boolOf(b *bool) *text {
	if b == nil {
		return nil
	}
	return given(strconv.FormatBool(*b))
}

func numberOf(n *int) *text {
	if n == nil {
		return nil
	}
	return given(strconv.Itoa(*n))
}

// durationOf writes whole hours and minutes as such, and otherwise seconds.
func durationOf(d *time.Duration) *text {
	switch {
	case d == nil:
		return nil
	case *d >= time.Hour && *d%time.Hour == 0:
		return given(strconv.Itoa(int(*d/time.Hour)) + "h")
	case *d >= time.Minute && *d%time.Minute == 0:
		return given(strconv.Itoa(int(*d/time.Minute)) + "m")
	}
	return given(strconv.Itoa(int(*d/time.Second)) + "s")
}
