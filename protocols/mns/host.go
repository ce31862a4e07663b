package mns

import (
	"net"
	"strings"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

// endings are what the provider's endpoints may have after the region, longest first.
var endings = []string{"-internal-vpc", "-internal", "-vpc", "-control"}

// namespaceOf returns whose queues a request to the host is about, and where: {account}.mns.{region}.… says it, also
// with the provider's private endpoints ({region}-internal, {region}-internal-vpc, mns-vpc.{region} and the like) and
// under any domain, so that 1234567890.mns.cn-hangzhou.mns.localhost:8080 works. Any other host, such as an address or
// the name of a container, means home. The bool tells whether the host names an account.
func namespaceOf(host string, home protocols.Home) (core.Namespace, bool) {
	labels := strings.SplitN(strings.ToLower(withoutPort(host)), ".", 4)
	if len(labels) < 4 || !isDigits(labels[0]) || !isService(labels[1]) {
		return home.Namespace(), false
	}
	return core.Namespace{Account: labels[0], Region: regionOf(labels[2])}, true
}

// regionalNamespaceOf also understands {region}.mns.…, the endpoint of version 2026-04-09, which names no account:
// there it belongs to the access key.
func regionalNamespaceOf(host string, home protocols.Home) (core.Namespace, bool) {
	if ns, named := namespaceOf(host, home); named {
		return ns, true
	}
	region, rest, _ := strings.Cut(strings.ToLower(host), ".")
	service, _, _ := strings.Cut(rest, ".")
	if isService(service) && strings.Contains(region, "-") {
		return core.Namespace{Account: home.Account, Region: regionOf(region)}, false
	}
	return home.Namespace(), false
}

// withoutPort returns the host of an address, which may have a port.
func withoutPort(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}

func isService(label string) bool { return label == "mns" || strings.HasPrefix(label, "mns-") }

func isDigits(label string) bool {
	return label != "" && strings.Trim(label, "0123456789") == ""
}

func regionOf(label string) string {
	for _, ending := range endings {
		if region, ok := strings.CutSuffix(label, ending); ok && region != "" {
			return region
		}
	}
	return label
}
