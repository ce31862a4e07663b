package sluice

import (
	"path/filepath"
	"strings"

	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/authority"
	"github.com/sluicemq/sluice/protocols/mns"
)

// Authority is a certificate authority.
type Authority = authority.CA

// Authority returns the one that has signed the certificate of pushes, and can sign others, such as those of HTTPS: one to
// trust for all that this server does. It is made at the first start and kept in the data directory, below tls; with Memory
// it is another one for each server.
func (s *Server) Authority() *Authority { return s.authority }

// keyDir is where the key that signs pushes is kept.
func (o Options) keyDir() string {
	if o.Data == Memory {
		return ""
	}
	return o.Data
}

// authorityDir is where the authority is kept.
func (o Options) authorityDir() string {
	if o.Data == Memory {
		return ""
	}
	return filepath.Join(o.Data, "tls")
}

// openPusher opens what signs and takes publications to endpoints. The data directory has to be open, so that nobody else
// makes keys in it at the same time.
func (s *Server) openPusher(o Options) (*mns.Pusher, error) {
	ca, err := authority.Open(o.authorityDir())
	if err != nil {
		return nil, err
	}
	s.authority = ca
	pusher := mns.NewPusher(mns.PushOptions{
		Site:           &protocols.Site{}, // see renaming
		Now:            o.Clock.Now,
		Authority:      ca,
		Dir:            o.keyDir(),
		CertificateURL: func() string { return strings.TrimRight(s.reached(), "/") + mns.CertificatePath },
		Hosts:          o.PushHosts,
	})
	return pusher, pusher.Open()
}
