// Package model says what a queue service may answer: a reference to hold servers against, written to be read and not
// to be fast. It shares nothing with the engine, not even types, and follows what the providers document and what
// recordings of them show.
//
// It is a relation, not a program that is run beside the server: an Event is a request together with the answer that
// was seen, and a World is one thing that may be true of the server before it. World.After returns every world that may
// be true afterwards, none if the answer cannot have been given. Where a provider promises nothing, such as the order of
// the groups of a FIFO queue, all answers are allowed; where an answer does not tell what happened, such as which
// messages a receive has dead-lettered, several worlds follow. Model keeps all of them and drops those that later
// answers contradict.
//
// Messages are known by the ids that the server gave them, in whatever form the caller writes all of them alike. A World
// either goes by the time that Passed events tell it, for histories on a clock that is moved by hand, or is untimed: then
// nothing ever becomes visible by itself, and the caller says so with Due events. Untimed worlds suit checkers of
// concurrent histories, which know of each event only between which instants it took place.
//
// All deadlines belong to the time after them: a message hidden for 5 s is visible 5 s later.
package model
