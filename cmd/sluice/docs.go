package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// docsCommand writes what packages ship beside the program. It is hidden, since users have these files, or get
// completions from the command of that name.
func docsCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "docs DIR",
		Short:  "Write man pages and shell completions into a directory",
		Hidden: true,
		Args:   oneArgument("DIR"),
		RunE:   func(c *cobra.Command, args []string) error { return writeDocs(c.Root(), args[0]) },
	}
}

func writeDocs(root *cobra.Command, dir string) error {
	man, completions := filepath.Join(dir, "man"), filepath.Join(dir, "completions")
	for _, d := range []string{man, completions} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	return errors.Join(
		writeManPages(man, root),
		root.GenBashCompletionFileV2(filepath.Join(completions, "sluice.bash"), true),
		root.GenZshCompletionFile(filepath.Join(completions, "sluice.zsh")),
		root.GenFishCompletionFile(filepath.Join(completions, "sluice.fish"), true),
		root.GenPowerShellCompletionFileWithDesc(filepath.Join(completions, "sluice.ps1")),
	)
}
