// Package all is the list of the dialects that Sluice speaks. A new dialect is a folder of its own and a line here.
package all

import (
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/mns"
	"github.com/sluicemq/sluice/protocols/sqs"
)

// Dialects returns the dialects in the order in which they are asked whether a request is theirs. The last one answers
// what none of them claims: the Query protocol of SQS has an answer of its own for unknown requests.
func Dialects(site *protocols.Site) []protocols.Dialect {
	return []protocols.Dialect{sqs.JSON(site), mns.JSON(site), mns.XML(site), sqs.Query(site)}
}
