package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"
)

// healthLimit is under the usual limits of container health checks, so that ours is the error that shows.
const healthLimit = 3 * time.Second

func healthCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "health",
		Short: "Ask a running server whether it is ready, for health checks of containers",
		Args:  cobra.NoArgs,
	}
	f := c.Flags()
	url := f.String("url", "http://127.0.0.1:9324", "address of the server, by default the first of SLUICE_LISTEN if there is that")
	ca := f.String("ca", "", "PEM file of the authority to trust besides the system's, such as tls/ca.pem in the data directory")
	c.RunE = func(c *cobra.Command, _ []string) error {
		client, err := clientTrusting(*ca)
		if err != nil {
			return err
		}
		if listen := os.Getenv("SLUICE_LISTEN"); listen != "" && !f.Changed("url") {
			if *url, err = listenedAt(listen); err != nil {
				return err
			}
		}
		return health(c.Context(), client, *url)
	}
	return c
}

// listenedAt returns the first of the addresses that serve takes, as this machine reaches it: what listens everywhere does so on
// loopback. In a container one variable then says where to listen and where to ask.
func listenedAt(listen string) (string, error) {
	var l listenFlag
	if err := l.Set(listen); err != nil {
		return "", fmt.Errorf("SLUICE_LISTEN is %q: %w", listen, err)
	}
	scheme, address := splitAddress(l.addresses[0])
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", fmt.Errorf("SLUICE_LISTEN is %q: %w", listen, err)
	}
	if host == "" || net.ParseIP(host).IsUnspecified() {
		host = "127.0.0.1"
	}
	return cmp.Or(scheme, "http") + "://" + net.JoinHostPort(host, port), nil
}

func health(ctx context.Context, client *http.Client, url string) error {
	ctx, cancel := context.WithTimeout(ctx, healthLimit)
	defer cancel()
	url = rootURL(url)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/health", nil)
	if err != nil {
		return fmt.Errorf("cannot ask %s: %w", url, err)
	}
	resp, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("not ready: %w", plain(err))
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s answers %s", r.URL, resp.Status)
	}
	return nil
}

// rootURL returns the URL of a server's root, without a slash at its end, for an address as serve takes it. HTTP is what one
// without a scheme means.
func rootURL(address string) string {
	scheme, host := splitAddress(address)
	return cmp.Or(scheme, "http") + "://" + host
}

// clientTrusting returns a client that trusts the authorities of a file as well, if one is named.
func clientTrusting(file string) (*http.Client, error) {
	if file == "" {
		return http.DefaultClient, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate", file)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone() // with the proxies of the environment
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	return &http.Client{Transport: transport}, nil
}
