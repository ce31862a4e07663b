package main

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
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
	root.DisableAutoGenTag = true
	never := time.Unix(0, 0).UTC() // the same sources give the same pages
	header := &doc.GenManHeader{Title: "SLUICE", Section: "1", Source: "Sluice", Manual: "Sluice", Date: &never}
	return errors.Join(
		doc.GenManTree(root, header, man),
		root.GenBashCompletionFileV2(filepath.Join(completions, "sluice.bash"), true),
		root.GenZshCompletionFile(filepath.Join(completions, "sluice.zsh")),
		root.GenFishCompletionFile(filepath.Join(completions, "sluice.fish"), true),
		root.GenPowerShellCompletionFileWithDesc(filepath.Join(completions, "sluice.ps1")),
	)
}
