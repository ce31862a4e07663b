package mns

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"
)

// RefusedError tells that nothing was pushed to an endpoint, since its address may not be pushed to.
type RefusedError struct {
	Host    string // of the endpoint
	Address netip.Addr
	Reason  string
}

func (e *RefusedError) Error() string {
	return "mns: pushing to " + e.Host + " at " + e.Address.String() + " is refused: " + e.Reason
}

const (
	maxPushHeaders = 16 << 10 // bytes of the headers of a receiver's answer
	pushIdle       = 30 * time.Second
)

// newPushClient returns a client that connects to permitted addresses only. It follows no redirects, since they lead
// elsewhere, and uses no proxy, since that would connect in its place.
func newPushClient(hosts []string) *http.Client {
	listed := make(map[string]bool, len(hosts))
	for _, host := range hosts {
		listed[strings.ToLower(strings.Trim(host, "[]"))] = true
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				return dial(ctx, network, address, listed)
			},
			DisableCompression:     true,
			MaxIdleConnsPerHost:    4,
			MaxResponseHeaderBytes: maxPushHeaders,
			IdleConnTimeout:        pushIdle,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// dial connects to a host. Its address is judged at the last moment, when it is known for good: a name may have resolved
// to another one when it was looked at before.
func dial(ctx context.Context, network, address string, listed map[string]bool) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	d := net.Dialer{Control: func(_, resolved string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(resolved)
		if err != nil {
			return err
		}
		if reason := refusal(to.Addr(), listed[strings.ToLower(host)]); reason != "" {
			return &RefusedError{Host: host, Address: to.Addr(), Reason: reason}
		}
		return nil
	}}
	return d.DialContext(ctx, network, address)
}

// metadata are addresses of services that give a machine in a cloud its secrets, as far as they are not link-local.
var metadata = []netip.Addr{
	netip.MustParseAddr("100.100.100.200"), // Alibaba Cloud
	netip.MustParseAddr("168.63.129.16"),   // Azure
	netip.MustParseAddr("192.0.0.192"),     // Oracle Cloud
	netip.MustParseAddr("fd00:ec2::254"),   // AWS
	netip.MustParseAddr("fd20:ce::254"),    // Google Cloud
}

const (
	reasonNever  = "it is the address of no other host, or of a metadata service"
	reasonPublic = "the address is public, and the host is not in the list of hosts for pushes"
)

// refusal returns why an address may not be pushed to, or "" if it may.
func refusal(a netip.Addr, listed bool) string {
	a = a.Unmap().WithZone("")
	switch {
	case never(a), slices.ContainsFunc(embedded(a), never):
		return reasonNever
	case a.IsLoopback(), a.IsPrivate(), listed:
		return ""
	}
	return reasonPublic
}

var (
	here     = netip.MustParsePrefix("0.0.0.0/8")   // what is not known yet; some systems take it for themselves
	reserved = netip.MustParsePrefix("240.0.0.0/4") // of no host, and the address of broadcasts
)

func never(a netip.Addr) bool {
	return a.IsUnspecified() || a.IsMulticast() || a.IsLinkLocalUnicast() || here.Contains(a) || reserved.Contains(a) ||
		slices.Contains(metadata, a)
}

// translations are the ranges of IPv6 that stand for addresses of IPv4, and where in them these are.
var translations = []struct {
	prefix netip.Prefix
	at     int // byte
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12},
	{netip.MustParsePrefix("2002::/16"), 2},
	{netip.MustParsePrefix("::/96"), 12},
}

// embedded returns the address of IPv4 for which one of IPv6 stands, if it does for one.
func embedded(a netip.Addr) []netip.Addr {
	if !a.Is6() || a.IsLoopback() {
		return nil
	}
	for _, t := range translations {
		if t.prefix.Contains(a) {
			b := a.As16()
			return []netip.Addr{netip.AddrFrom4([4]byte(b[t.at : t.at+4]))}
		}
	}
	return nil
}
