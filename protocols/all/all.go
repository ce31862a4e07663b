// Package all is the list of the dialects that Sluice speaks. A new dialect is a folder of its own and a line here; a new
// provider has a line among Providers as well, if it can be made to fail.
package all

import (
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/faults"
	"github.com/sluicemq/sluice/protocols/mns"
	"github.com/sluicemq/sluice/protocols/sqs"
)

// Dialects returns the dialects in the order in which they are asked whether a request is theirs. The last one answers
// what none of them claims: the Query protocol of SQS has an answer of its own for unknown requests.
func Dialects(site *protocols.Site) []protocols.Dialect {
	return []protocols.Dialect{sqs.JSON(site), mns.JSON(site), mns.XML(site), sqs.Query(site)}
}

// Providers returns what it takes to make providers fail on purpose.
func Providers() faults.Providers {
	return faults.Providers{"sqs": sqs.Faults(), "mns": mns.Faults()}
}
