// Package faults breaks a server on purpose, and always in the same way: it throttles requests, answers them with errors
// of their provider, loses answers, lets them wait, cuts long polls, and delivers messages twice or out of order. It is
// how a team finds out whether its consumers are idempotent and its clients try again, before a cloud shows it.
//
// What goes wrong is said by rules. A Rule picks requests by provider, operation and queue, some of them by a rate, and
// has one Kind of fault. A Set holds the rules of a server, counts, and makes two decorators: Dialect wraps a
// protocols.Dialect and breaks requests and answers; Broker wraps the engine and breaks deliveries. A server without
// rules has neither of them in its path.
//
// # The same every time
//
// Each rule draws from a generator of its own, which begins with the rule's seed and name, and draws once for each
// request that it picks. So the same rules and the same sequence of requests have the same faults, whatever other rules
// there are. Requests that run at the same time are taken in the order in which they come.
//
// Time is the engine's: a delay ends when the engine's clock says so, which on a manual clock is when a test moves it.
package faults
