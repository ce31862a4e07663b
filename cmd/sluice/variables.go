package main

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Each flag of each command can be given as a variable: SLUICE_ and the name of the flag. The commands that serve, and
// those that ask a server, share them, since there a name means one thing. Those that have nothing to do with a server's
// settings have their own name in it as well, so that SLUICE_DATA for serve does not say where bench keeps its queues.
const (
	variablePrefix = "SLUICE_"
	// ownVariables is an annotation of commands: what stands before the names of their flags.
	ownVariables = "variables"
	// settles is an annotation of commands: they read the variables themselves, to tell everything that is wrong at once.
	settles = "settles"
	// variableAs is an annotation of flags: the name that counts, for a flag that is called otherwise by another command.
	variableAs = "variable"
	// variableFrom is an annotation of flags that a variable has set: its name.
	variableFrom = "from"
)

// variable is the name of a flag's variable, or empty for the few that have none: those that print and do no more, and
// what help does not show, such as the process that a command starts for itself.
func variable(c *cobra.Command, flag *pflag.Flag) string {
	if flag.Hidden || flag.Name == "help" || flag.Name == "version" {
		return ""
	}
	name := flag.Name
	if as := flag.Annotations[variableAs]; len(as) > 0 {
		name = as[0]
	}
	own := ""
	for at := c; at != nil; at = at.Parent() {
		if at.Hidden {
			return ""
		}
		own = cmp.Or(own, at.Annotations[ownVariables])
	}
	return variablePrefix + own + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// fromEnvironment sets each flag that was not given from its variable. One that is empty counts as unset.
func fromEnvironment(c *cobra.Command, env lookup) (wrong problems) {
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		name := variable(c, flag)
		v, _ := env(name)
		if name == "" || v == "" || flag.Changed {
			return
		}
		if c.Flags().Set(flag.Name, v) != nil {
			wrong = append(wrong, &problem{err: fmt.Errorf("%s is %q, want %s", name, v, wanted(flag))})
			return
		}
		_ = c.Flags().SetAnnotation(flag.Name, variableFrom, []string{name}) // fails only for a flag that there is not
	})
	return wrong
}

// documentVariables names the variable of each flag in its help.
func documentVariables(c *cobra.Command) {
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		if name := variable(c, flag); name != "" && !strings.HasSuffix(flag.Usage, "["+name+"]") {
			flag.Usage += " [" + name + "]"
		}
	})
	for _, below := range c.Commands() {
		documentVariables(below)
	}
}

// variablesOf are the variables of a command and all below it.
func variablesOf(c *cobra.Command) map[string]bool {
	known := map[string]bool{}
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		if name := variable(c, flag); name != "" {
			known[name] = true
		}
	})
	for _, below := range c.Commands() {
		maps.Copy(known, variablesOf(below))
	}
	return known
}

// stranger is a variable that looks like one of ours and is none.
type stranger struct {
	name    string
	nearest string // what was most likely meant; empty if that cannot be told
}

func (s stranger) String() string {
	if s.nearest == "" {
		return s.name + " is no variable of Sluice"
	}
	return s.name + " is no variable of Sluice, did you mean " + s.nearest + "?"
}

// others are variables with our prefix that other programs set or read: those of test helpers, and those with which
// Kubernetes and links of containers describe a service that is called sluice.
var others = regexp.MustCompile(`^SLUICE_(BINARY|ADMIN_URL|(.+_)?(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?|NAME|ENV_.+))$`)

// strangers returns what is misspelt in an environment, in the order of the names.
func strangers(root *cobra.Command, environ []string) []stranger {
	known := variablesOf(root)
	names := slices.Sorted(maps.Keys(known))
	var found []stranger
	for _, each := range environ {
		name, v, _ := strings.Cut(each, "=")
		if strings.HasPrefix(name, variablePrefix) && v != "" && !known[name] && !others.MatchString(name) {
			found = append(found, stranger{name, nearest(name, names)})
		}
	}
	slices.SortFunc(found, func(a, b stranger) int { return strings.Compare(a.name, b.name) })
	return found
}

// warn tells of strangers. They do not keep a server from starting: whoever starts it has often not written all of its
// environment.
func warn(log *slog.Logger, found []stranger) {
	for _, s := range found {
		log.Warn(s.String())
	}
}

// nearest returns the name that was most likely meant by one that is unknown, or nothing. It is one with few letters
// changed, left out, added or swapped, or else the longest that the unknown one begins with, as in SLUICE_DATA_DIR.
func nearest(name string, known []string) string {
	const most = 3
	best, meant := min(len(strings.TrimPrefix(name, variablePrefix))/3, most)+1, ""
	for _, k := range known {
		if d := distance(name, k); d < best {
			best, meant = d, k
		}
	}
	if meant != "" {
		return meant
	}
	for _, k := range known {
		if len(k) > len(meant) && (strings.HasPrefix(name, k+"_") || strings.HasPrefix(name, k+"-")) {
			meant = k
		}
	}
	return meant
}

// distance is how many letters have to be changed, left out, added or swapped with the next to make b of a. Names are short;
// what is longer counts as far from everything.
func distance(a, b string) int {
	const longest = 64
	if len(a) > longest || len(b) > longest {
		return longest
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}
