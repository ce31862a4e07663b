// Command sluice serves Amazon SQS and Alibaba Cloud MNS queues from one directory, on one port. The work is done by
// the packages it imports; this one reads flags, variables and the configuration file, and turns errors into one line
// and an exit status.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sluicemq/sluice"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// Once the first signal is being obeyed, a second one kills at once.
	context.AfterFunc(ctx, stop)
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "sluice:", oneLine(err))
		os.Exit(1)
	}
}

// oneLine keeps the promise that an error is one line: scripts and people read the last line of a failed start.
func oneLine(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}

// run runs the command until it is done or ctx ends. What it returns has not been printed.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return root.ExecuteContext(ctx)
}

// newRoot returns the program with all its commands.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "sluice",
		Short:         "Amazon SQS and Alibaba Cloud MNS queues on your own machine",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	versionFlag(root)
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		if c.Annotations[settles] != "" {
			return nil
		}
		return fromEnvironment(c, os.LookupEnv).err()
	}
	root.AddCommand(serveCommand(), docsCommand(), healthCommand(), envCommand(), configCommand(), importCommand(), versionCommand(), queuesCommand(), peekCommand(), explainCommand(), tailCommand(), benchCommand(), conformanceCommand(), recordCommand())
	documentVariables(root)
	completeChoices(root)
	return root
}

// completeChoices has shells offer the values of flags that have a few, in place of the names of files.
func completeChoices(c *cobra.Command) {
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		if of, ok := flag.Value.(*choice); ok {
			_ = c.RegisterFlagCompletionFunc(flag.Name, cobra.FixedCompletions(of.values, cobra.ShellCompDirectiveNoFileComp)) // fails only for a flag that there is not
		}
	})
	for _, below := range c.Commands() {
		completeChoices(below)
	}
}

// group makes a command of one that is there for the commands below it. Alone it prints its help; a name that none of them
// has is an error, where cobra would print the help and be content.
func group(c *cobra.Command, below ...*cobra.Command) *cobra.Command {
	c.Args = cobra.NoArgs
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	c.DisableFlagsInUseLine = true
	c.AddCommand(below...)
	return c
}

// oneArgument wants a single argument, and calls it what the usage line calls it.
func oneArgument(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%s takes one %s, and %d were given", c.CommandPath(), name, len(args))
		}
		return nil
	}
}

// versionFlag makes --version of the root command print what the command version prints. Cobra's own flag says it in other
// words, and its template for them would link text/template, with which the linker keeps every exported method.
func versionFlag(root *cobra.Command) {
	asked := root.Flags().BoolP("version", "v", false, "version for sluice")
	root.RunE = func(c *cobra.Command, args []string) error {
		if *asked {
			return printVersion(c, args)
		}
		return c.Help()
	}
}

func versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: cobra.NoArgs, RunE: printVersion}
}

func printVersion(c *cobra.Command, _ []string) error {
	_, err := fmt.Fprintln(c.OutOrStdout(), "sluice", sluice.Version)
	return err
}
