package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/conformance/bench"
)

// benchFlags are the flags of bench.
type benchFlags struct {
	load                   bench.Load
	protocols, workloads   []string
	concurrency            []int
	target, data           string
	sync                   *choice
	pid, runs, maxDepth    int
	bare, json             bool
	table, flat, sizes     bool
	cpuProfile, memProfile string
}

func benchCommand() *cobra.Command {
	c := &cobra.Command{
		Annotations: map[string]string{ownVariables: "BENCH_"},
		Use:         "bench",
		Short:       "Measure a server over loopback, beside a bare HTTP handler",
		Long: `Measure a server over loopback, beside a bare HTTP handler that reads each request and answers fixed bytes.

Without --target it starts a server of its own, and ends it. The loop is closed: each connection has one request under
way. Rates depend on the machine and on what else it does; the ratio to the bare handler and the CPU a request do so
much less.

Of longpoll the latency is that of a wake-up, from a send to the answer of the receiver that waited. Measure it with
--concurrency 1, where sends are paced: connections that keep the server busy show how requests queue up instead. With
--parked that many further polls wait beside it, and what each of them takes in memory is shown as well.`,
		Args: cobra.NoArgs,
	}
	b := &benchFlags{sync: syncChoice()}
	b.register(c.Flags())
	c.RunE = func(c *cobra.Command, _ []string) error {
		return b.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
	}
	c.AddCommand(benchChildCommand())
	return c
}

func (b *benchFlags) register(f *pflag.FlagSet) {
	d := bench.Load{}.Defaults()
	f.StringVar(&b.target, "target", "", "server to measure, as http://host:port; without it one is started")
	f.IntVar(&b.pid, "pid", 0, "process of the target, to read its CPU and memory")
	f.StringVar(&b.data, "data", "memory", "where the server that is started keeps its queues: memory, or temp for a directory below TMPDIR")
	f.Var(b.sync, "sync", "when a change is durable there")
	f.StringSliceVar(&b.protocols, "protocol", []string{string(bench.SQSJSON)}, "all, or of sqs-json, sqs-query, mns")
	f.StringSliceVar(&b.workloads, "workload", []string{string(bench.Cycle)}, "all, or of send, cycle, batch, fifo, longpoll, drain, queues, depth, deleted")
	f.IntSliceVar(&b.concurrency, "concurrency", []int{d.Concurrency}, "connections, each with one request under way")
	f.IntVar(&b.load.Body, "body", d.Body, "bytes of a message")
	f.DurationVar(&b.load.Duration, "duration", d.Duration, "how long a run is")
	f.DurationVar(&b.load.Warmup, "warmup", 500*time.Millisecond, "how long to run before it")
	f.Int64Var(&b.load.Count, "count", d.Count, "turns after which a run ends earlier")
	f.IntVar(&b.load.Depth, "depth", d.Depth, "messages stored before drain and depth begin")
	f.IntVar(&b.load.Queues, "queues", d.Queues, "queues of the workload queues")
	f.IntVar(&b.load.Groups, "groups", d.Groups, "groups of the workload fifo")
	f.IntVar(&b.load.Deleted, "deleted", d.Deleted, "messages that come and go before deleted begins")
	f.IntVar(&b.load.Parked, "parked", d.Parked, "further connections of longpoll that wait for messages which never come")
	f.IntVar(&b.runs, "runs", 3, "runs of each measurement; medians are shown")
	f.BoolVar(&b.bare, "bare", true, "measure the bare handler as well")
	f.BoolVar(&b.json, "json", false, "print everything that was measured as JSON")
	f.BoolVar(&b.table, "table", false, "measure send, cycle and batch in all protocols and modes, then what flat and sizes do, against what is demanded")
	f.BoolVar(&b.flat, "flat", false, "measure whether rates hold with depth, deletes, queues and groups, and gain by connections and batches")
	f.BoolVar(&b.sizes, "sizes", false, "measure starts, memory, disk, wake-ups and idle CPU")
	f.IntVar(&b.maxDepth, "max-depth", 1_000_000, "deepest queue of table, flat and sizes; a million messages of 1 KiB take 2 to 4 GB of memory")
	f.StringVar(&b.cpuProfile, "cpuprofile", "", "write a CPU profile of the server that is started")
	f.StringVar(&b.memProfile, "memprofile", "", "write a profile of its allocations")
	for _, hidden := range []string{"cpuprofile", "memprofile"} {
		f.Lookup(hidden).Hidden = true
	}
}

func (b *benchFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := b.check(); err != nil {
		return err
	}
	h := &bench.Harness{Start: b.start(stderr), Runs: b.runs, Log: stderr}
	if b.bare {
		bare, err := startBare(ctx, stderr)
		if err != nil {
			return err
		}
		defer func() { _ = bare.Stop() }()
		h.Bare = bare.Endpoint
	}
	if b.tables() {
		return b.runTables(ctx, h, stdout)
	}
	return b.runLoads(ctx, h, stdout)
}

func (b *benchFlags) check() error {
	switch {
	case b.data != "memory" && b.data != "temp":
		return fmt.Errorf("data is %q, want memory or temp", b.data)
	case b.runs < 1:
		return fmt.Errorf("runs is %d, want 1 to %d", b.runs, bench.MaxRuns)
	case b.target != "" && b.tables():
		return errors.New("table, flat and sizes start servers of their own and take no target")
	case b.target == "" && b.pid != 0:
		return errors.New("pid is that of a target, but there is none")
	}
	return nil
}

func (b *benchFlags) runLoads(ctx context.Context, h *bench.Harness, stdout io.Writer) error {
	protocols, err := bench.ParseProtocols(b.protocols)
	if err != nil {
		return err
	}
	workloads, err := bench.ParseWorkloads(b.workloads)
	if err != nil {
		return err
	}
	cells, err := h.Series(ctx, b.mode(), bench.Loads(b.load, protocols, workloads, b.concurrency))
	if err != nil {
		return err
	}
	return b.print(stdout, cells, nil)
}

func (b *benchFlags) mode() bench.Mode {
	switch {
	case b.target != "":
		return bench.Target
	case b.data == "memory":
		return bench.Memory
	default:
		return bench.Mode(b.sync.value)
	}
}

// tables reports whether something is measured against what is demanded.
func (b *benchFlags) tables() bool { return b.table || b.flat || b.sizes }

// runTables measures the tables that are asked for and prints each as soon as it is there, and all cells at the end.
func (b *benchFlags) runTables(ctx context.Context, h *bench.Harness, stdout io.Writer) error {
	t := &benchTables{Harness: h, load: b.load, maxDepth: b.maxDepth, text: stdout}
	t.load.Concurrency = b.concurrency[0]
	if b.json {
		t.text = io.Discard
	}
	for _, each := range []struct {
		wanted  bool
		measure func(context.Context) error
	}{{b.table, t.matrix}, {b.table || b.flat, t.flat}, {b.table || b.sizes, t.sizes}} {
		if !each.wanted {
			continue
		}
		if err := each.measure(ctx); err != nil {
			return err
		}
	}
	return b.print(stdout, t.cells, t.verdicts)
}

// benchTables gathers what the tables find.
type benchTables struct {
	*bench.Harness
	load     bench.Load
	maxDepth int
	text     io.Writer
	cells    []bench.Cell
	verdicts []bench.Verdict
}

func (t *benchTables) matrix(ctx context.Context) error {
	cells, err := t.Matrix(ctx, t.load)
	if err != nil {
		return err
	}
	t.cells = append(t.cells, cells...)
	return bench.WriteMatrix(t.text, cells)
}

func (t *benchTables) flat(ctx context.Context) error {
	cells, shares, err := t.Flat(ctx, t.load, t.maxDepth)
	if err != nil {
		return err
	}
	t.cells, t.verdicts = append(t.cells, cells...), append(t.verdicts, shares...)
	return bench.WriteFlat(t.text, shares)
}

func (t *benchTables) sizes(ctx context.Context) error {
	found, err := t.Sizes(ctx, t.load, t.maxDepth)
	if err != nil {
		return err
	}
	t.verdicts = append(t.verdicts, found...)
	return bench.WriteSizes(t.text, found)
}

// print prints all cells. Verdicts stand in a text already.
func (b *benchFlags) print(w io.Writer, cells []bench.Cell, verdicts []bench.Verdict) error {
	switch {
	case b.json:
		return bench.WriteJSON(w, cells, verdicts)
	case len(cells) == 0:
		return nil
	}
	return bench.WriteTable(w, cells)
}

// start returns how a server of a mode is started: not at all if there is a target.
func (b *benchFlags) start(stderr io.Writer) bench.Starter {
	return func(ctx context.Context, m bench.Mode, data string) (bench.Server, error) {
		if m == bench.Target {
			target := bench.Endpoint{URL: strings.TrimRight(b.target, "/"), PID: b.pid}
			return bench.Server{Endpoint: target, Stop: func() error { return nil }}, nil
		}
		args := []string{"serve"}
		if b.cpuProfile != "" || b.memProfile != "" {
			args = []string{"bench", "child", "--cpuprofile", b.cpuProfile, "--memprofile", b.memProfile, "--"}
		}
		args = append(args, "--listen=127.0.0.1:0", "--admin=127.0.0.1:0", "--data="+cmp.Or(data, sluice.Memory))
		if m != bench.Memory {
			args = append(args, "--sync="+string(m))
		}
		return startSelf(ctx, stderr, args...)
	}
}

func startBare(ctx context.Context, stderr io.Writer) (bench.Server, error) {
	return startSelf(ctx, stderr, "bench", "child", "--bare")
}

// startSelf starts this program once more. The variables that configure a server are kept from it: what is measured
// must not depend on them.
func startSelf(ctx context.Context, stderr io.Writer, args ...string) (bench.Server, error) {
	self, err := os.Executable()
	if err != nil {
		return bench.Server{}, err
	}
	c := exec.Command(self, args...) // ended by the function that is returned, so that it can end in order
	c.Stderr = stderr
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "SLUICE_") || strings.HasPrefix(v, "SLUICE_TEST_") {
			c.Env = append(c.Env, v)
		}
	}
	return bench.StartChild(ctx, c)
}

// benchChildCommand is what bench starts as processes of their own: the bare handler, or a server that is profiled.
func benchChildCommand() *cobra.Command {
	c := &cobra.Command{Use: "child", Hidden: true, Args: cobra.ArbitraryArgs}
	f := c.Flags()
	bare := f.Bool("bare", false, "serve the bare handler")
	cpu := f.String("cpuprofile", "", "file")
	mem := f.String("memprofile", "", "file")
	c.RunE = func(c *cobra.Command, args []string) error {
		if *bare {
			return serveBare(c.Context(), c.OutOrStdout())
		}
		server := serveCommand()
		server.SetArgs(args)
		server.SetOut(c.OutOrStdout())
		server.SetErr(c.ErrOrStderr())
		return profiled(*cpu, *mem, func() error { return server.ExecuteContext(c.Context()) })
	}
	return c
}

// serveBare serves the bare handler with net/http's own settings until ctx ends.
func serveBare(ctx context.Context, stdout io.Writer) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: bench.Bare()}
	defer context.AfterFunc(ctx, func() { srv.Close() })()
	if _, err := fmt.Fprintf(stdout, "Ready. Listening on http://%s\n", l.Addr()); err != nil {
		return err
	}
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// profiled runs a function and writes profiles to the files that are named.
func profiled(cpu, mem string, run func() error) error {
	if cpu != "" {
		f, err := os.Create(cpu)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	if mem == "" {
		return run()
	}
	f, err := os.Create(mem)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	err = run()
	runtime.GC() // allocations show up in the profile with the collection after them
	return errors.Join(err, pprof.Lookup("allocs").WriteTo(f, 0))
}
