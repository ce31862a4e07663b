// Package core is the queue engine. It speaks plain queue English (Send, Receive, Delete, ChangeVisibility, Peek,
// Purge) and knows no provider, no wire format and no HTTP: what differs between providers arrives as data in Rules,
// and what goes wrong leaves as data in Error.
//
// # How it works
//
// A queue is a state machine in memory: no I/O, no goroutine, no clock of its own. A verb locks the queue, takes the
// time once, changes the state and appends the changes to the journal; it unlocks and is answered when the journal
// says that its changes are durable. The order in which verbs append is the order in which the state changed, so what
// a crash leaves behind is always a prefix of what happened, and nothing that was answered is missing.
//
// # Where to find what
//
// One file per verb (send.go, receive.go, delete.go, visibility.go, peek.go, purge.go, create.go, …); queue.go holds
// the state they work on, standard.go and tenant.go, and fifo.go the two orders of delivery, journal.go the way to the store,
// keys.go and record.go what is stored, timer.go what happens without a request. Topics are in topic.go (state),
// topics.go and subscription.go (verbs), publish.go (fan-out, by the commit in posting.go) and push.go (what has to wait).
package core
