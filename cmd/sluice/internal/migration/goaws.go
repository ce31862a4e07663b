package migration

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/sluicemq/sluice"
)

type goAttributes struct {
	Visibility int64 `yaml:"VisibilityTimeout"`
	Wait       int64 `yaml:"ReceiveMessageWaitTimeSeconds"`
	MaxSize    int   `yaml:"MaximumMessageSize"`
	Retention  int64 `yaml:"MessageRetentionPeriod"`
	Delay      int64 `yaml:"DelaySeconds"`
}

type goQueue struct {
	goAttributes  `yaml:",inline"`
	Name          string `yaml:"Name"`
	RedrivePolicy string `yaml:"RedrivePolicy"`
	FIFO          bool   `yaml:"IsFIFO"`
}

// goEnvironment is one of the environments of a goaws.yaml; what it has besides is for its log. A number that is zero
// counts as one that is not there, as it does for GoAWS.
type goEnvironment struct {
	Host       string       `yaml:"Host"`
	Port       string       `yaml:"Port"`
	SQSPort    string       `yaml:"SqsPort"`
	Region     string       `yaml:"Region"`
	AccountID  string       `yaml:"AccountId"`
	AccountOld string       `yaml:"AccountID"`
	Defaults   goAttributes `yaml:"QueueAttributeDefaults"`
	Queues     []goQueue    `yaml:"Queues"`
	Topics     []struct {
		Name          string `yaml:"Name"`
		Subscriptions []struct {
			Queue string `yaml:"QueueName"`
		} `yaml:"Subscriptions"`
	} `yaml:"Topics"`
	Latency struct {
		Min int `yaml:"Min"`
		Max int `yaml:"Max"`
	} `yaml:"RandomLatency"`
	Duplicates bool `yaml:"EnableDuplicates"`
}

// goAWS reads a goaws.yaml: its environment Local, which the server takes by default, or its only one.
func goAWS(r *Result, text []byte, _ map[string]string) error {
	var all map[string]goEnvironment
	if err := yaml.Unmarshal(text, &all); err != nil {
		if _, ok := errors.AsType[*yaml.TypeError](err); ok { // which speaks of types of this program
			return errors.New("this is no goaws.yaml: want environments, such as Local, with settings of GoAWS")
		}
		return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	names := slices.Sorted(maps.Keys(all))
	if len(names) == 0 {
		return errors.New("there is no environment")
	}
	name := "Local"
	if _, there := all[name]; !there {
		name = names[0]
	}
	for _, other := range names {
		if other != name {
			r.warn("environment %s is left out: %s is taken", other, name)
		}
	}
	e := all[name]
	r.Data = sluice.Memory
	r.goServer(&e)
	for i := range e.Queues {
		r.goQueue(&e, &e.Queues[i])
	}
	for _, t := range e.Topics {
		r.warn("topic %s of SNS has no counterpart", t.Name)
		for _, s := range t.Subscriptions {
			r.goSubscription(&e, s.Queue)
		}
	}
	return nil
}

// goSubscription adds the queue of a subscription, which GoAWS makes where the file does not have it. That of an address has
// none.
func (r *Result) goSubscription(e *goEnvironment, queue string) {
	there := slices.ContainsFunc(r.Options.Resources.Queues, func(q sluice.Queue) bool { return q.Name == queue })
	if queue != "" && !there {
		r.goQueue(e, &goQueue{Name: queue})
	}
}

func (r *Result) goServer(e *goEnvironment) {
	r.Listen = r.addressOf("0.0.0.0", cmp.Or(e.Port, e.SQSPort, "4100"), "0.0.0.0", "4100")
	home := r.Options.SQS
	home.Region = cmp.Or(e.Region, home.Region)
	home.Account = cmp.Or(e.AccountID, e.AccountOld, home.Account)
	parsed, err := sluice.ParseSQS(home.Account + "/" + home.Region)
	if err != nil {
		r.warn("%v: the account is %s", err, r.Options.SQS.Account)
		parsed = sluice.Home{Account: r.Options.SQS.Account, Region: home.Region}
		if _, err := sluice.ParseSQS(parsed.Account + "/" + parsed.Region); err != nil {
			parsed.Region = r.Options.SQS.Region
		}
	}
	r.Options.SQS = parsed
	if e.Latency.Max > 0 {
		r.warn("RandomLatency has no counterpart here: it is a fault to be configured")
	}
	if e.Duplicates {
		r.warn("EnableDuplicates has no counterpart: FIFO queues always deduplicate, other queues never")
	}
}

func wholeUnlessZero(n int64) *time.Duration {
	if n == 0 {
		return nil
	}
	return whole(n)
}

func (r *Result) goQueue(e *goEnvironment, given *goQueue) {
	own, defaults := given.goAttributes, e.Defaults
	q := sluice.Queue{
		Name:       given.Name,
		FIFO:       given.FIFO || strings.HasSuffix(given.Name, ".fifo"),
		Visibility: wholeUnlessZero(cmp.Or(own.Visibility, defaults.Visibility)),
		Wait:       wholeUnlessZero(cmp.Or(own.Wait, defaults.Wait)),
		Retention:  wholeUnlessZero(cmp.Or(own.Retention, defaults.Retention)),
		Delay:      wholeUnlessZero(cmp.Or(own.Delay, defaults.Delay)),
	}
	if n := cmp.Or(own.MaxSize, defaults.MaxSize); n != 0 {
		q.MaxSize = &n
	}
	if given.RedrivePolicy != "" {
		var err error
		if q.DeadLetter, err = redrive(given.RedrivePolicy); err != nil {
			r.warn("queue %s: %v: it is left out", q.Name, err)
		}
	}
	r.add(q)
}
