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
// the name of a container, means home.
func namespaceOf(host string, home protocols.Home) core.Namespace {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	labels := strings.SplitN(strings.ToLower(host), ".", 4)
	if len(labels) < 4 || !isDigits(labels[0]) || !isService(labels[1]) {
		return home.Namespace()
	}
	return core.Namespace{Account: labels[0], Region: regionOf(labels[2])}
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
