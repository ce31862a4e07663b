package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/conformance"
	"github.com/sluicemq/sluice/conformance/replay"
)

// conformanceFlags are the flags of conformance run.
type conformanceFlags struct {
	targets, providers           []string
	filter, report, out          string
	recordings, deviations, data string
	sync                         string
	account, region              string
	key                          replay.Key
	forgive                      []string
	parallel                     int
	restart, verifies            bool
	maxWait, timeout             time.Duration
}

func conformanceCommand() *cobra.Command {
	return group(&cobra.Command{
		Annotations: map[string]string{ownVariables: "CONFORMANCE_"},
		Use:         "conformance",
		Short:       "Compare a server with recorded traffic of the providers",
	}, conformanceRunCommand(), conformanceListCommand())
}

func conformanceRunCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "run",
		Short: "Replay the recordings and print the score",
		Long: `Replay the recordings and print the score.

Without --target they run against this program itself, in memory and on virtual time. With it they run against that
server in real time. Several targets are compared side by side: --target sluice --target other=http://localhost:5000.

Requests to a target are signed: with the keys in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN for SQS, in
ALIBABA_CLOUD_ACCESS_KEY_ID, ALIBABA_CLOUD_ACCESS_KEY_SECRET and ALIBABA_CLOUD_SECURITY_TOKEN for MNS, with those of the
flags for both, else with one that means nothing. Only a key's id, its token and signatures leave this machine. The
account and the region are those in the target's address and in its ARNs. Every scenario makes queues of its own, under
names that begin with q, and deletes them; at a provider it costs what its requests cost.

The exit status is 0 if nothing differs but what is listed as a known deviation, else 1.`,
		Args: cobra.NoArgs,
	}
	f := &conformanceFlags{}
	f.register(c.Flags())
	c.RunE = func(c *cobra.Command, _ []string) error {
		return f.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
	}
	return c
}

func (f *conformanceFlags) register(s *pflag.FlagSet) {
	s.StringArrayVar(&f.targets, "target", nil, "server to measure, [name=]http://host:port, or sluice for this program; may be repeated")
	s.StringSliceVar(&f.providers, "provider", nil, "only these protocols: "+strings.Join(replay.Dialects(), ", "))
	s.StringVar(&f.filter, "filter", "", "only scenarios whose name contains this, such as mns/SendMessage")
	s.StringVar(&f.report, "report", "text", "form of the report: text, json, junit or html")
	s.StringVar(&f.out, "out", "", "file to write the report to; without it the report is printed")
	s.StringVar(&f.recordings, "recordings", "", "directory of recordings to use in place of those in the program")
	s.StringVar(&f.deviations, "deviations", "", "file of known differences of the target; this program has its own")
	s.StringVar(&f.account, "account", "", "account of the target, in place of the one that it gives")
	s.StringVar(&f.region, "region", "", "region of the target, in place of the one that it gives")
	s.StringVar(&f.key.ID, "access-key-id", "", "key to sign requests to targets with, in place of those in the environment")
	s.StringVar(&f.key.Secret, "secret-access-key", "", "secret of that key; the environment is a safer place for it")
	s.StringVar(&f.key.Token, "session-token", "", "token of that key, if it is a temporary one")
	s.BoolVar(&f.verifies, "verifies", false, "targets verify signatures: run the scenarios about them as well")
	s.DurationVar(&f.timeout, "timeout", 10*time.Second, "how long an answer of a target may take, long polls apart")
	s.StringSliceVar(&f.forgive, "forgive", nil, "classes of differences that do not count, such as layout,json-key-order")
	s.IntVar(&f.parallel, "parallel", 0, "scenarios at a time (default 16)")
	s.DurationVar(&f.maxWait, "max-wait", 65*time.Second, "leave out scenarios in which more time passes, on targets in real time; 0 leaves none out")
	s.StringVar(&f.data, "data", "memory", "where this program keeps its queues: memory, or temp for a directory below TMPDIR")
	s.StringVar(&f.sync, "sync", string(sluice.SyncOS), "when this program takes data in a directory for durable: os or always")
	s.BoolVar(&f.restart, "restart", false, "close and open this program in the middle of every scenario; implies --data temp")
}

var reportWriters = map[string]func(io.Writer, []*replay.Report) error{
	"text": replay.WriteText, "json": replay.WriteJSON, "junit": replay.WriteJUnit, "html": replay.WriteHTML,
}

func (f *conformanceFlags) check() error {
	switch {
	case reportWriters[f.report] == nil:
		return fmt.Errorf("report is %q, want text, json, junit or html", f.report)
	case f.data != "memory" && f.data != "temp":
		return fmt.Errorf("data is %q, want memory or temp", f.data)
	case f.sync != string(sluice.SyncOS) && f.sync != string(sluice.SyncAlways):
		return fmt.Errorf("sync is %q, want os or always", f.sync)
	case (f.key.ID == "") != (f.key.Secret == ""):
		return errors.New("access-key-id and secret-access-key belong together")
	case f.timeout <= 0:
		return fmt.Errorf("timeout is %v, want more than 0s", f.timeout)
	case f.parallel < 0:
		return fmt.Errorf("parallel is %d, want at least 1", f.parallel)
	}
	return f.checkNames()
}

func (f *conformanceFlags) checkNames() error {
	for _, p := range f.providers {
		if !slices.Contains(replay.Dialects(), p) {
			return fmt.Errorf("provider is %q, want one of %s", p, strings.Join(replay.Dialects(), ", "))
		}
	}
	for _, c := range f.forgive {
		if !slices.Contains(replay.Classes(), replay.Class(c)) {
			return fmt.Errorf("forgive: there is no class %q", c)
		}
	}
	return nil
}

func (f *conformanceFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := f.check(); err != nil {
		return err
	}
	scenarios, err := f.scenarios()
	if err != nil {
		return err
	}
	targets, err := f.open(ctx)
	if err != nil {
		return err
	}
	var reports []*replay.Report
	failed := 0
	for _, t := range targets {
		r, err := f.measure(ctx, t, scenarios, stderr)
		if err != nil {
			return err
		}
		reports = append(reports, r)
		failed += r.Score().Failed
	}
	if err := f.write(stdout, reports); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d scenarios differ", failed, len(scenarios)*len(targets))
	}
	return nil
}

func (f *conformanceFlags) scenarios() ([]*replay.Scenario, error) {
	all, err := loadRecordings(f.recordings)
	if err != nil {
		return nil, err
	}
	if all = replay.Select(all, f.providers, f.filter); len(all) == 0 {
		return nil, fmt.Errorf("no scenario of %s contains %q", cmp.Or(strings.Join(f.providers, ","), "any protocol"), f.filter)
	}
	return all, nil
}

func loadRecordings(dir string) ([]*replay.Scenario, error) {
	if dir != "" {
		if _, err := os.Stat(dir); err != nil {
			return nil, err // which names it, as an error from below it does not
		}
		return replay.Load(os.DirFS(dir))
	}
	return conformance.Corpus()
}

// conformanceTarget is a server to measure and what is known of it.
type conformanceTarget struct {
	replay.Target
	known []replay.Deviation
}

func (f *conformanceFlags) open(ctx context.Context) ([]conformanceTarget, error) {
	if len(f.targets) == 0 {
		f.targets = []string{"sluice"}
	}
	all := make([]conformanceTarget, len(f.targets))
	for i, name := range f.targets {
		var err error
		if all[i], err = f.openOne(ctx, name); err != nil {
			return nil, err
		}
	}
	if f.deviations == "" {
		return all, nil
	}
	text, err := os.ReadFile(f.deviations)
	if err != nil {
		return nil, err
	}
	known, err := replay.ParseDeviations(string(text))
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].known = known
	}
	return all, nil
}

func (f *conformanceFlags) openOne(ctx context.Context, address string) (t conformanceTarget, err error) {
	if address == "sluice" {
		t.Target = f.own()
		t.known, err = conformance.Deviations()
		return t, err
	}
	name := address
	if n, rest, ok := strings.Cut(address, "="); ok && !strings.Contains(n, "/") {
		name, address = n, rest
	}
	if t.Target, err = replay.Remote(name, address); err != nil {
		return t, err
	}
	if err := reachable(ctx, address); err != nil {
		return t, err
	}
	t.Keys, t.Verifies, t.Timeout = f.keys(), f.verifies, f.timeout
	if f.account == "" || f.region == "" {
		if err := t.Discover(ctx); err != nil {
			return t, err
		}
	}
	for dialect, place := range t.Places {
		t.Places[dialect] = replay.Place{Account: cmp.Or(f.account, place.Account), Region: cmp.Or(f.region, place.Region)}
	}
	return t, nil
}

func (f *conformanceFlags) own() replay.Target {
	switch sync := sluice.Sync(f.sync); {
	case f.restart:
		return replay.OwnRestarted("", sync)
	case f.data == "temp":
		return replay.OwnOnDisk("", sync)
	default:
		return replay.Own()
	}
}

// keys are those of the flags, else those that the providers' own tools take from the environment.
func (f *conformanceFlags) keys() map[string]replay.Key {
	from := func(id, secret, token string) replay.Key {
		k := replay.Key{ID: os.Getenv(id), Secret: os.Getenv(secret), Token: os.Getenv(token)}
		switch {
		case f.key.ID != "":
			return f.key
		case k.ID == "" || k.Secret == "":
			return replay.AnyKey
		}
		return k
	}
	return replay.Keys(
		from("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"),
		from("ALIBABA_CLOUD_ACCESS_KEY_ID", "ALIBABA_CLOUD_ACCESS_KEY_SECRET", "ALIBABA_CLOUD_SECURITY_TOKEN"),
	)
}

func (f *conformanceFlags) measure(ctx context.Context, t conformanceTarget, all []*replay.Scenario, stderr io.Writer) (*replay.Report, error) {
	suite := &replay.Suite{Scenarios: all, Deviations: t.known, Parallel: f.parallel, MaxWait: f.maxWait}
	for _, c := range f.forgive {
		suite.Forgive = append(suite.Forgive, replay.Class(c))
	}
	if onTerminal(stderr) {
		failed := 0
		suite.Progress = func(done, total int, r *replay.Result) {
			if !r.Passed() {
				failed++
			}
			progress(stderr, t.Name, done, total, failed)
		}
		defer fmt.Fprint(stderr, "\r\x1b[K")
	}
	return suite.Run(ctx, t.Target)
}

// progress draws a bar over the one before.
func progress(w io.Writer, name string, done, total, failed int) {
	const width = 30
	full := done * width / total
	fmt.Fprintf(w, "\r\x1b[K%s [%s%s] %d/%d, %d differ", name, strings.Repeat("=", full), strings.Repeat(" ", width-full), done, total, failed)
}

func onTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && f.Name() != os.DevNull
}

func (f *conformanceFlags) write(stdout io.Writer, reports []*replay.Report) error {
	if f.out == "" {
		return reportWriters[f.report](stdout, reports)
	}
	file, err := os.Create(f.out)
	if err != nil {
		return err
	}
	return errors.Join(reportWriters[f.report](file, reports), file.Close())
}

func conformanceListCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "list",
		Short: "List the scenarios with their evidence",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			all, err := loadRecordings(dir)
			if err != nil {
				return err
			}
			for _, s := range all {
				fmt.Fprintf(c.OutOrStdout(), "%s\t%s\t%s\n", s.Name(), s.Evidence, s.Title)
			}
			return nil
		},
	}
	c.Flags().StringVar(&dir, "recordings", "", "directory of recordings to use in place of those in the program")
	return c
}

// reachLimit is how long a server may take to accept a connection.
const reachLimit = 5 * time.Second

// reachable returns an error if nobody listens at an address: a thousand scenarios would each say so.
func reachable(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	conn, err := (&net.Dialer{Timeout: reachLimit}).DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return fmt.Errorf("cannot reach %s: %w", address, plain(err))
	}
	return conn.Close()
}
