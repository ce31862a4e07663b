package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sluicemq/sluice"
)

// shells are how shells set a variable, by the names of shells.
var shells = map[string]struct {
	line  string
	quote func(string) string
}{
	"sh":         {"export %s=%s\n", quotePOSIX},
	"fish":       {"set -gx %s %s\n", quoteFish},
	"powershell": {"$env:%s = %s\n", quotePowerShell},
}

func quotePOSIX(v string) string { return "'" + strings.ReplaceAll(v, "'", `'\''`) + "'" }

func quoteFish(v string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(v) + "'"
}

func quotePowerShell(v string) string { return "'" + strings.ReplaceAll(v, "'", "''") + "'" }

func envCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "env",
		Short: "Print variables that point the providers' SDKs at a running server",
		Long: `Print variables that point the providers' SDKs at a running server.

  eval "$(sluice env)"                                   sh, bash, zsh
  sluice env --shell fish | source                       fish
  sluice env --shell powershell | Out-String | iex       PowerShell

Without --url the control API (--admin) is asked where the server listens. With the configuration of the server (--config)
they have its region and the first of its access keys, and the control API is the one that it names. SDKs for Amazon read all of them; those for MNS have no variable
for the endpoint, so that MNS_ENDPOINT is for your program to read. Note that AWS_ENDPOINT_URL is for all services of
Amazon; --only-sqs leaves it out. Version 1 of the AWS command line reads no endpoint for SQS: give it
--endpoint-url "$AWS_ENDPOINT_URL_SQS".`,
		Args: cobra.NoArgs,
	}
	f := c.Flags()
	f.String("url", "http://127.0.0.1:9324", "address of the server, by default the one that its control API tells, if it does")
	f.String("admin", "http://"+adminDefault, "address of the control API")
	f.String("admin-token", "", "token of the control API")
	f.String("config", "", "configuration file of the server")
	f.Bool("only-sqs", false, "leave out AWS_ENDPOINT_URL")
	f.String("ca", "", "PEM file with the authority of a server with HTTPS, for AWS_CA_BUNDLE")
	shell := newChoice("sh", slices.Sorted(maps.Keys(shells))...)
	f.Var(shell, "shell", "shell to print for")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return env(c, f, shell.value)
	}
	return c
}

func env(c *cobra.Command, f *pflag.FlagSet, shell string) error {
	file := &config{}
	if path := value(f, "config"); path != "" {
		file = readConfig(path)
	}
	o := file.options()
	if err := file.problems.err(); err != nil {
		return err
	}
	if !f.Changed("url") {
		if told := endpoint(c.Context(), adminOf(f, file), tokenOf(f, file)); told != "" {
			_ = f.Set("url", told) // it is any text
		}
	}
	vars, err := variables(f, file, o)
	if err != nil {
		return err
	}
	client, err := clientTrusting(value(f, "ca"))
	if err == nil {
		err = health(c.Context(), client, vars["SLUICE_URL"])
	}
	if err != nil {
		fmt.Fprintln(c.ErrOrStderr(), "warning:", oneLine(err))
	}
	return printVariables(c.OutOrStdout(), shell, vars)
}

// adminOf is the address of the control API: as given, else as the server's configuration has it.
func adminOf(f *pflag.FlagSet, file *config) string {
	if file.Admin != nil && !f.Changed("admin") {
		return file.Admin.value
	}
	return value(f, "admin")
}

// tokenOf is its token, likewise.
func tokenOf(f *pflag.FlagSet, file *config) string {
	return cmp.Or(value(f, "admin-token"), file.AdminToken.orEmpty())
}

// endpoint asks a control API where clients reach the server. Whatever keeps it from telling, the answer is empty.
func endpoint(ctx context.Context, admin, token string) string {
	if admin == adminNone {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, healthLimit)
	defer cancel()
	c := newClient(admin, token)
	var overview struct {
		Endpoints []string `json:"endpoints"`
	}
	if _, err := c.get(ctx, "/api/v1/overview", nil, &overview); err != nil || len(overview.Endpoints) == 0 {
		return ""
	}
	told, err := url.Parse(overview.Endpoints[0])
	if err != nil || told.Scheme != "http" && told.Scheme != "https" {
		return ""
	}
	if host, err := url.Parse(c.base); err == nil && told.Hostname() == "localhost" { // it listens on all addresses
		told.Host = strings.TrimSuffix(net.JoinHostPort(host.Hostname(), told.Port()), ":")
	}
	return told.String()
}

// variables returns what is to be set. An empty file stands for none.
func variables(f *pflag.FlagSet, file *config, o sluice.Options) (map[string]string, error) {
	server, id, key, token := rootURL(value(f, "url")), "any", "any", ""
	if file.Credentials != nil && len(*file.Credentials) > 0 {
		first := (*file.Credentials)[0]
		id, key, token = first.ID.value, first.Secret.value, first.SessionToken.orEmpty()
	}
	vars := map[string]string{
		"SLUICE_URL": server, "AWS_ENDPOINT_URL": server, "AWS_ENDPOINT_URL_SQS": server,
		"AWS_ACCESS_KEY_ID": id, "AWS_SECRET_ACCESS_KEY": key, "AWS_SESSION_TOKEN": token,
		"AWS_REGION": o.SQS.Region, "AWS_DEFAULT_REGION": o.SQS.Region, "AWS_CA_BUNDLE": value(f, "ca"),
		"MNS_ENDPOINT": server, "MNS_ACCOUNT_ID": o.MNS.Account, "ALIBABA_CLOUD_REGION_ID": o.MNS.Region,
		"ALIBABA_CLOUD_ACCESS_KEY_ID": id, "ALIBABA_CLOUD_ACCESS_KEY_SECRET": key, "ALIBABA_CLOUD_SECURITY_TOKEN": token,
	}
	if value(f, "only-sqs") == "true" {
		delete(vars, "AWS_ENDPOINT_URL")
	}
	if ca := vars["AWS_CA_BUNDLE"]; ca != "" {
		absolute, err := filepath.Abs(ca) // programs in other folders read it as well
		if err != nil {
			return nil, err
		}
		vars["AWS_CA_BUNDLE"] = absolute
	}
	maps.DeleteFunc(vars, func(_, v string) bool { return v == "" })
	return vars, nil
}

func printVariables(out io.Writer, shell string, vars map[string]string) error {
	s := shells[shell]
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		if _, err := fmt.Fprintf(out, s.line, name, s.quote(vars[name])); err != nil {
			return err
		}
	}
	return nil
}
