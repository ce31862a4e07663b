// Package mns speaks the API of Alibaba Cloud MNS (Simple Message Queue): version 2015-06-06, which is HTTP with the
// resource in the path, the arguments in path, query and headers, and XML bodies; and version 2026-04-09, the same
// operations on messages with JSON bodies. It also renders what topics send to their subscribers and pushes it to
// endpoints of HTTP.
//
// It only translates. Limits and behaviour are data in rules.go that the engine enforces, the provider's words for
// errors are in errors.go, and its units of time in units.go.
//
// # How it works
//
// operations.go is the one table of operations. Each row names a method and a path, which gorilla/mux matches, the
// shape of its input and output, and the function that turns one into the other. Several operations may share method
// and path; the first row whose condition holds is taken. The shapes (shapes.go) are structs whose tags say where on
// the wire each field stands; plan.go reads the tags once per type. A codec (codec.go, xml.go) moves whole bodies
// between the wire and a shape and knows no operation, so that both versions share the table.
//
// Who sends a request is looked at only if the site verifies signatures (verify.go, sign.go). What is published on a
// topic reaches subscribers without a request: Render (notification.go) makes the messages of queues, and a Pusher
// (push.go) posts to URLs, signed by a key of its own, whose certificate the server's authority has signed
// (certificate.go), and only to addresses that are permitted (reach.go).
//
// # Evidence
//
// Comments that say "Recorded" speak of traffic with the real service, published with its bodies and headers, from
// 2015, 2022 to 2024 and 2026; "Documented" of the provider's reference pages; "Quoted" of public threads that quote the
// service; "Asserted" of tests of the provider's clients that run against it. Where they disagree, recordings win. A
// guess is marked UNVERIFIED.
package mns
