package mns

import (
	"net/netip"
	"testing"
)

func TestAddressesThatMayBePushedTo(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1": "", "127.255.0.1": "", "::1": "", "::ffff:127.0.0.1": "",
		"10.1.2.3": "", "172.16.0.1": "", "172.31.255.255": "", "192.168.1.1": "", "::ffff:192.168.1.1": "", "fd12:3456::1": "", "fd12::1%eth0": "",

		"8.8.8.8": reasonPublic, "172.32.0.1": reasonPublic, "100.64.0.1": reasonPublic, "2001:db8::1": reasonPublic, "::ffff:8.8.8.8": reasonPublic,
		"64:ff9b::8.8.8.8": reasonPublic, "64:ff9b::10.0.0.1": reasonPublic, "::10.0.0.1": reasonPublic, "fec0::1": reasonPublic,

		"0.0.0.0": reasonNever, "::": reasonNever, "0.1.2.3": reasonNever, "255.255.255.255": reasonNever, "240.0.0.1": reasonNever,
		"169.254.0.1": reasonNever, "169.254.169.254": reasonNever, "::ffff:169.254.169.254": reasonNever, "::169.254.169.254": reasonNever,
		"64:ff9b::169.254.169.254": reasonNever, "2002:a9fe:a9fe::1": reasonNever, "64:ff9b::100.100.100.200": reasonNever,
		"fe80::1": reasonNever, "fe80::1%eth0": reasonNever, "febf::1": reasonNever,
		"100.100.100.200": reasonNever, "::ffff:100.100.100.200": reasonNever, "168.63.129.16": reasonNever, "192.0.0.192": reasonNever,
		"fd00:ec2::254": reasonNever, "fd00:ec2::254%eth0": reasonNever, "fd20:ce::254": reasonNever,
		"224.0.0.1": reasonNever, "ff02::1": reasonNever,
	} {
		a := netip.MustParseAddr(address)
		if got := refusal(a, false); got != want {
			t.Errorf("refusal(%s) = %q, want %q", address, got, want)
		}
		if want == reasonPublic {
			want = ""
		}
		if got := refusal(a, true); got != want {
			t.Errorf("refusal(%s, of a listed host) = %q, want %q", address, got, want)
		}
	}
}
