package main

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/cmd/sluice/internal/certs"
)

// configSchema is the JSON Schema of the configuration file, for editors. A test holds it against config.
//
//go:embed config.schema.json
var configSchema []byte

func configCommand() *cobra.Command {
	return group(&cobra.Command{Use: "config", Short: "Look at the configuration: check, show, schema"},
		withServeFlags(&cobra.Command{
			Use:   "check",
			Short: "Check flags, variables and file as serve would, without serving",
			Long: `Check flags, variables and file as serve would, without serving. Everything that is wrong is told at once, with file and line.

It takes the flags of serve. A variable that looks like a misspelt one of Sluice is an error here, where serve only warns.`,
			Args: cobra.NoArgs,
		}, checkConfig),
		withServeFlags(&cobra.Command{
			Use:   "show",
			Short: "Print the settings that serve would have, and where each comes from",
			Long: `Print the settings that serve would have, as a configuration file, and where each comes from. Secrets are not shown.

It takes the flags of serve.`,
			Args: cobra.NoArgs,
		}, showConfig),
		&cobra.Command{
			Use:   "schema",
			Short: "Print the JSON Schema of the configuration file",
			Args:  cobra.NoArgs,
			RunE: func(c *cobra.Command, _ []string) error {
				_, err := c.OutOrStdout().Write(configSchema)
				return err
			},
		},
	)
}

// withServeFlags gives a command the flags of serve.
func withServeFlags(c *cobra.Command, do func(c *cobra.Command, env lookup) error) *cobra.Command {
	c.Flags().AddFlagSet(serveCommand().Flags())
	c.Annotations = map[string]string{settles: "true"}
	c.RunE = func(c *cobra.Command, _ []string) error { return do(c, os.LookupEnv) }
	return c
}

// checkConfig also declares the resources, in memory, and reads the certificate. Everything that is wrong has a line of its
// own; the error counts them.
func checkConfig(c *cobra.Command, env lookup) error {
	s, err := settle(c, env)
	wrong := slices.Concat(problemsOf(err), problemsOf(s.placed(s.options.Check())))
	if s.security.validate() == nil && s.security.cert != "" {
		_, err := certs.OpenFiles(s.security.cert, s.security.key)
		wrong = append(wrong, problemsOf(err)...)
	}
	for _, v := range strangers(c.Root(), os.Environ()) {
		if v.nearest != "" {
			wrong = append(wrong, &problem{err: errors.New(v.String())})
		} else {
			fmt.Fprintln(c.ErrOrStderr(), "warning:", v)
		}
	}
	for _, doubt := range s.options.Doubts() {
		fmt.Fprintln(c.ErrOrStderr(), "warning:", doubt)
	}
	name := cmp.Or(s.path, "settings")
	if err := wrong.err(); err == nil {
		_, err = fmt.Fprintf(c.OutOrStdout(), "%s: ok\n", name)
		return err
	}
	for _, each := range wrong {
		fmt.Fprintln(c.ErrOrStderr(), oneLine(each))
	}
	return &wrongConfig{name, wrong}
}

// problemsOf returns the problems that an error is, or that it is one.
func problemsOf(err error) problems {
	var all problems
	switch {
	case err == nil:
		return nil
	case errors.As(err, &all):
		return all
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, each := range joined.Unwrap() {
			all = append(all, problemsOf(each)...)
		}
		return all
	}
	return problems{{err: err}}
}

// wrongConfig is an error whose parts have been told.
type wrongConfig struct {
	name string
	problems
}

// Error counts them.
func (w *wrongConfig) Error() string {
	if len(w.problems) == 1 {
		return w.name + ": 1 error"
	}
	return fmt.Sprintf("%s: %d errors", w.name, len(w.problems))
}

// masked stands for secrets.
const masked = "********"

// showConfig prints the file with everything in it that holds although the file does not say it.
func showConfig(cc *cobra.Command, env lookup) error {
	f := cc.Flags()
	before := changed(f)
	s, err := settle(cc, env)
	if err != nil {
		return err
	}
	var c config
	if s.file != nil {
		c = *s.file
	}
	inFile := c.flags()
	c.effective(&s)
	return c.print(cc.OutOrStdout(), f, func(name string) string {
		switch from := f.Lookup(name).Annotations[variableFrom]; {
		case before[name]:
			return "--" + name
		case len(from) > 0:
			return from[0]
		case inFile[name] != nil:
			return fmt.Sprintf("%s, line %d", s.path, inFile[name].line)
		}
		return "default"
	})
}

func changed(f *pflag.FlagSet) map[string]bool {
	names := map[string]bool{}
	f.Visit(func(flag *pflag.Flag) { names[flag.Name] = true })
	return names
}

// flagNames are the flags that are settings.
func flagNames(f *pflag.FlagSet) []string {
	var names []string
	f.VisitAll(func(flag *pflag.Flag) {
		if flag.Name != "config" && flag.Name != "help" {
			names = append(names, flag.Name)
		}
	})
	return names
}

// effective enters what holds where the file says nothing, and hides secrets.
func (c *config) effective(s *settings) {
	o := &s.options
	fill := func(t **text, value string) {
		if *t == nil {
			*t = &text{value: value, note: "default"}
		}
	}
	sqs, mns := cmp.Or(o.SQS, sluice.DefaultSQS), cmp.Or(o.MNS, sluice.DefaultMNS)
	fill(&c.SQS.Account, sqs.Account)
	fill(&c.SQS.Region, sqs.Region)
	fill(&c.MNS.Account, mns.Account)
	fill(&c.MNS.Region, mns.Region)
	fill(&c.MNS.NextVisibleTime, "milliseconds")
	if c.Bridges == nil {
		c.Bridges = &[]bridgeText{{
			MNS: &text{value: mns.Account + "/" + mns.Region, note: "default"},
			SQS: &text{value: sqs.Account + "/" + sqs.Region, note: "default"},
		}}
	}
	if c.Credentials == nil {
		return
	}
	for i := range *c.Credentials {
		k := &(*c.Credentials)[i]
		for _, secret := range []*text{k.Secret, k.SessionToken} {
			if secret != nil {
				secret.value = masked
			}
		}
	}
}

// print writes the settings that are flags, each with its origin, and then the sections.
func (c *config) print(out io.Writer, f *pflag.FlagSet, origin func(name string) string) error {
	var doc yaml.Node
	flags := flagNames(f)
	for _, name := range flags {
		if shown := c.shown(name, value(f, name)); shown != nil {
			shown.LineComment = origin(name)
			doc.Content = append(doc.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, shown)
		}
	}
	b, err := yaml.Marshal(c)
	if err != nil {
		return err
	}
	var rest yaml.Node
	if err := yaml.Unmarshal(b, &rest); err != nil {
		return err
	}
	for i := 0; len(rest.Content) > 0 && i < len(rest.Content[0].Content); i += 2 {
		if name := rest.Content[0].Content[i].Value; !slices.Contains(flags, name) {
			doc.Content = append(doc.Content, rest.Content[0].Content[i:i+2]...)
		}
	}
	doc.Kind = yaml.MappingNode
	return writeYAML(out, &doc)
}

// shown is what is printed of a flag; nil for one that says nothing.
func (c *config) shown(name, v string) *yaml.Node {
	switch {
	case v == "" && name == "auth" && c.Credentials != nil:
		v = authVerify
	case v == "" && name == "auth":
		v = authOff
	case v == "":
		return nil
	case strings.HasSuffix(name, "-token"):
		v = masked
	case name == "listen" && strings.Contains(v, ","):
		return listNode(v)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: v}
}

func writeYAML(out io.Writer, v any) error {
	e := yaml.NewEncoder(out)
	e.SetIndent(2)
	if err := e.Encode(v); err != nil {
		return err
	}
	return e.Close()
}

// listNode shows addresses as the file has them.
func listNode(joined string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, v := range strings.Split(joined, ",") {
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: v})
	}
	return n
}
