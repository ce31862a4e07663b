package sluice

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/core/clock"
	"github.com/sluicemq/sluice/persistence"
	"github.com/sluicemq/sluice/persistence/badger"
	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/policy"
)

// Memory as Options.Data keeps everything in memory: nothing is left when the server is closed.
const Memory = "memory"

// Sync says when a change counts as durable, and so when it is answered.
type Sync string

// The ways to sync.
const (
	SyncOS     Sync = "os"     // the operating system has it: survives a killed process
	SyncAlways Sync = "always" // the disk has it: survives a power loss as well
)

// Home is an account and a region of a provider.
type Home = protocols.Home

// Credential is what belongs to an access key.
type Credential = protocols.Credential

// QueueURLStyle is a form of queue URLs.
type QueueURLStyle = protocols.QueueURLStyle

// The forms of queue URLs.
const (
	QueueURLHost     = protocols.QueueURLHost     // {host}/{account}/{name}, as the provider's
	QueueURLPath     = protocols.QueueURLPath     // {host}/queue/{region}/{account}/{name}
	QueueURLStandard = protocols.QueueURLStandard // sqs.{region}.{host}/{account}/{name}
	QueueURLDomain   = protocols.QueueURLDomain   // {region}.queue.{host}/{account}/{name}
)

var queueURLStyles = []QueueURLStyle{"", QueueURLHost, QueueURLPath, QueueURLStandard, QueueURLDomain}

// Bridge joins an account and region of MNS with one of SQS: both then see the same queues.
type Bridge struct{ MNS, SQS Home }

// The homes of requests that do not say where they belong, unless Options has others.
var (
	DefaultSQS = Home{Account: "000000000000", Region: "us-east-1"}
	DefaultMNS = Home{Account: "1234567890123456", Region: "cn-hangzhou"}
)

// Options configure a server. The zero value is ready: in memory, on the machine's clock, with the default homes
// bridged.
type Options struct {
	// Data is the directory to keep the queues in, made if it is missing. Empty means Memory.
	Data string
	// Sync is when a change counts as durable. Empty means SyncOS. In memory it means nothing.
	Sync Sync
	// BodyBudget is how many bytes of message bodies stay in memory; what is over is read back from the data
	// directory when it is needed. 0 means 256 MiB. With Memory it means nothing.
	BodyBudget int64

	// Clock tells the engine the time. Nil means the machine's; clock.NewManual makes one that is moved by hand. With Admin,
	// nil means a clock.Adjustable.
	Clock clock.Clock

	// SQS and MNS are the homes of requests that do not say where they belong. The zero value means DefaultSQS and
	// DefaultMNS. An account is 12 digits for SQS, 1 to 32 digits for MNS.
	SQS, MNS Home
	// Bridges joins namespaces of the two providers. Nil joins the two homes; an empty list joins nothing.
	Bridges []Bridge

	// Credentials are the access keys, by their ids, with which requests have to be signed. Nil means that any
	// credentials will do and that signatures are not read; an empty map refuses every request.
	Credentials map[string]Credential

	// AccountPerKey gives each access key an account of its own, so that many test runs share a server without meeting: the
	// account is made of the key. Not for keys of Credentials, which say whose they are.
	AccountPerKey bool

	// Strict turns the providers' wait rules on, such as 60 seconds between two purges of a queue. They only slow
	// tests down, so they are off otherwise; every other rule always holds.
	Strict bool
	// MaxInFlight bounds the received messages of a queue below or above a provider's own bound, so that a test
	// can reach it. 0 means the provider's own. A provider without a bound stays without.
	MaxInFlight int
	// MicrosecondVisibleTime prints the NextVisibleTime of MNS's ChangeMessageVisibility in microseconds, as its
	// reference page does, instead of the milliseconds that the real service sends.
	MicrosecondVisibleTime bool
	// PublicURL replaces scheme and host in the URLs of answers, for a server behind a proxy that changes the Host
	// header. Empty means those of the request.
	PublicURL string
	// QueueURLs is the form of queue URLs in answers of SQS. Empty means QueueURLHost. Requests may use all forms.
	QueueURLs QueueURLStyle
	// PushURL is where receivers of pushes find this server, which has the certificate of the signatures. Empty means
	// PublicURL or, without one, the address that Serve listens on, once it does.
	PushURL string
	// PushHosts are hosts to which topics of MNS may push although they are public, as they stand in endpoints.
	// Loopback and private addresses need no permission; those of metadata services never get it.
	PushHosts []string

	// Faults are what goes wrong on purpose. SetFaults changes them later.
	Faults []FaultRule

	// Resources are there when Open returns.
	Resources Resources

	// Observers are told of everything that happens to messages, after it was stored.
	Observers []core.Observer
	// OnFault is told of each fault of the server, once, from any goroutine. Nil means that nobody is.
	OnFault func(*Fault)
	// Decorate puts something around parts of the server, such as telemetry.
	Decorate Decorators
	// Admin makes the server remember what happens to messages, for Server.Admin. Nil means that it does not.
	Admin *Admin
}

// Decorators wrap parts of a server. A part whose decorator is nil has nothing around it.
type Decorators struct {
	Store   func(persistence.Store) persistence.Store // called once
	Broker  func(core.Broker) core.Broker             // called for each view of the engine that a dialect takes
	Dialect func(protocols.Dialect) protocols.Dialect // called for each dialect, and again by Reload
}

// dialects wraps those of a site.
func (d *Decorators) dialects(dialects []protocols.Dialect) []protocols.Dialect {
	for i := range dialects {
		dialects[i] = decorated(d.Dialect, dialects[i])
	}
	return dialects
}

func decorated[P any](decorate func(P) P, part P) P {
	if decorate == nil {
		return part
	}
	return decorate(part)
}

func (o Options) withDefaults() Options {
	if o.Data == "" {
		o.Data = Memory
	}
	if o.Data == Memory {
		o.BodyBudget = -1 // the store is in memory itself: dropping a body would save nothing
	}
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	if o.SQS == (Home{}) {
		o.SQS = DefaultSQS
	}
	if o.MNS == (Home{}) {
		o.MNS = DefaultMNS
	}
	if o.Bridges == nil {
		o.Bridges = []Bridge{{MNS: o.MNS, SQS: o.SQS}}
	}
	if o.OnFault == nil {
		o.OnFault = func(*Fault) {}
	}
	return o
}

func (o Options) openStore() (persistence.Store, error) {
	if o.Data == Memory {
		return memory.New(), nil
	}
	return badger.Open(o.Data, badger.Options{
		Sync: o.Sync == SyncAlways, OnError: o.backgroundFault,
		After: clock.System{}.AfterFunc, // whatever clock the engine has: it is about the machine's CPU
	})
}

func (o Options) backgroundFault(err error) { o.OnFault(&Fault{Err: err}) }

// site is what the dialects share, but for the engine.
func (o Options) site() *protocols.Site {
	bridges := make(map[core.Namespace]core.Namespace, len(o.Bridges))
	for _, b := range o.Bridges {
		bridges[b.MNS.Namespace()] = b.SQS.Namespace()
	}
	return &protocols.Site{
		Verify:                 o.Credentials != nil,
		Credentials:            o.Credentials,
		AccountPerKey:          o.AccountPerKey,
		SQS:                    o.SQS,
		MNS:                    o.MNS,
		Bridges:                bridges,
		Strict:                 o.Strict,
		MicrosecondVisibleTime: o.MicrosecondVisibleTime,
		PublicURL:              o.PublicURL,
		QueueURLs:              o.QueueURLs,
	}
}

func (o Options) limited(r core.Rules) core.Rules {
	if o.MaxInFlight > 0 && r.MaxInFlight > 0 {
		r.MaxInFlight = o.MaxInFlight
	}
	if o.MaxInFlight > 0 && r.MaxInFlightFIFO > 0 {
		r.MaxInFlightFIFO = o.MaxInFlight
	}
	return r
}

// validate returns everything that is wrong, but for the resources.
func (o Options) validate() error {
	var wrong []error
	if o.Sync != "" && o.Sync != SyncOS && o.Sync != SyncAlways {
		wrong = append(wrong, fmt.Errorf("sync is %q, want %q or %q", o.Sync, SyncOS, SyncAlways))
	}
	if !slices.Contains(queueURLStyles, o.QueueURLs) {
		wrong = append(wrong, fmt.Errorf("the form of queue URLs is %q, want one of %q", o.QueueURLs, queueURLStyles[1:]))
	}
	if o.MaxInFlight < 0 {
		wrong = append(wrong, fmt.Errorf("the bound of messages in flight is %d, want at least 1", o.MaxInFlight))
	}
	wrong = append(wrong, o.validateHomes())
	for _, key := range slices.Sorted(maps.Keys(o.Credentials)) {
		if err := CheckCredential(o.Credentials[key]); err != nil {
			wrong = append(wrong, fmt.Errorf("access key %s: %w", key, err))
		}
	}
	return errors.Join(append(wrong, CheckFaults(o.Faults...), checkBridges(o.Bridges))...)
}

// validateHomes lets the zero value be, which means the default.
func (o Options) validateHomes() error {
	if err := sqsHomes.check(o.SQS); err != nil && o.SQS != (Home{}) {
		return err
	}
	if err := mnsHomes.check(o.MNS); err != nil && o.MNS != (Home{}) {
		return err
	}
	return nil
}

// userName is what the user of an access key can be called. Documented, of users of IAM.
var userName = pattern(`^[A-Za-z0-9_+=,.@-]{0,64}$`)

// CheckCredential returns an error if a credential is none: its policy cannot be read, its user, role or session has no
// proper name, or it has a role without a session, or beside a user. Documented: roles are called as users are, and sessions
// have at least 2 letters.
func CheckCredential(c Credential) error {
	for _, named := range [...]struct{ kind, name string }{{"user", c.User}, {"role", c.Role}, {"session", c.Session}} {
		if !userName().MatchString(named.name) {
			return fmt.Errorf("%q is not the name of a %s, want up to 64 letters, digits and +=,.@_-", named.name, named.kind)
		}
	}
	switch {
	case c.Role != "" && c.User != "":
		return errors.New("a key is of a user or of a role, not of both")
	case (c.Role != "") != (c.Session != ""):
		return errors.New("a role and the name of its session belong together")
	case len(c.Session) == 1:
		return fmt.Errorf("%q is not the name of a session, want at least 2 letters", c.Session)
	}
	if c.Policy == "" {
		return nil
	}
	_, err := policy.ParseIdentity(c.Policy)
	return err
}

// homes are the names that a provider's accounts can have.
type homes struct {
	provider string
	account  *regexp.Regexp
	words    string
}

// Documented: an AWS account id has 12 digits, and MNS puts the account into the first label of the host. Those of MNS
// in recordings have 16 digits.
var (
	sqsHomes = homes{"SQS", regexp.MustCompile(`^[0-9]{12}$`), "12 digits"}
	mnsHomes = homes{"MNS", regexp.MustCompile(`^[0-9]{1,32}$`), "1 to 32 digits"}
	region   = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
)

func (p homes) check(h Home) error {
	if !p.account.MatchString(h.Account) {
		return fmt.Errorf("%q is not an account of %s, want %s", h.Account, p.provider, p.words)
	}
	if !region.MatchString(h.Region) {
		return fmt.Errorf("%q is not a region of %s", h.Region, p.provider)
	}
	return nil
}

// ParseSQS reads "account/region" as a home of SQS.
func ParseSQS(s string) (Home, error) { return sqsHomes.parse(s) }

// ParseMNS reads "account/region" as a home of MNS.
func ParseMNS(s string) (Home, error) { return mnsHomes.parse(s) }

func (p homes) parse(s string) (Home, error) {
	account, region, _ := strings.Cut(s, "/")
	h := Home{Account: account, Region: region}
	return h, p.check(h)
}

// checkBridges also refuses a namespace in two bridges: its queues would have two addresses at the other provider, and
// which of them an answer shows would be chance.
func checkBridges(bridges []Bridge) error {
	mns, sqs := make(map[Home]bool), make(map[Home]bool)
	for _, b := range bridges {
		if err := mnsHomes.check(b.MNS); err != nil {
			return fmt.Errorf("bridge: %w", err)
		}
		if err := sqsHomes.check(b.SQS); err != nil {
			return fmt.Errorf("bridge: %w", err)
		}
		if mns[b.MNS] || sqs[b.SQS] {
			return fmt.Errorf("bridge of %s/%s and %s/%s: one of them is in another bridge already",
				b.MNS.Account, b.MNS.Region, b.SQS.Account, b.SQS.Region)
		}
		mns[b.MNS], sqs[b.SQS] = true, true
	}
	return nil
}
