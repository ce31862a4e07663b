// Package bench measures a server of queues from outside: it drives an endpoint over loopback in each protocol and says
// how many requests it answers, how long they take, and what they cost the server in CPU and memory.
//
// A rate means little by itself, since the generator shares the machine with the server. So every measurement has a
// companion: a bare net/http handler, in a process of its own, that reads the same requests and answers fixed bytes.
// The quotient of the two says what the queue costs on top of HTTP, and moves far less from machine to machine.
//
// The loop is closed: each connection has one request under way. That finds the capacity; it hides how requests queue
// up when they come at a fixed rate (coordinated omission), so latencies under saturation are no promise to anyone. Those
// of longpoll, from a send to the answer of a receiver that waited for it, are measured with one connection, whose sends
// are paced by a rest before each; other receivers may be parked beside it.
//
// Three tables put figures beside demands, which are data: Matrix rates beside the bare handler's, Flat rates beside each
// other, Sizes what a server takes in time, memory, disk and CPU.
//
// The package holds no rule of a provider. It writes requests the way the providers' clients do and looks at as little
// of an answer as it can, to keep the generator's own cost low.
package bench
