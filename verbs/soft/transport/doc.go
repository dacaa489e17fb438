// Package transport is the part of a software device that moves packets: queue pairs with their send, receive and completion queues, and the
// engine that serves them.
//
// An [Adapter] has the tables of queue pairs and memory keys, and one [Engine] while it is open: the goroutine that moves all packets. A [Device]
// is one opening of it, with protection domains, completion queues and queue pairs. Posting a request writes it into a ring and rings the
// engine's doorbell; the engine's round is: take a batch of packets, hand each to its queue pair, then let every queue pair that has something
// to send do so, and pass all of it to the link at once. So acknowledgements are naturally coalesced, and nobody is woken while the
// engine runs. Over sockets a program that posts, polls or waits while the engine sleeps runs rounds itself, and the engine stands by:
// Engine.assist and rest.go say why.
//
// A queue pair is a requester (requester.go), which sends what was posted, a completer (completer.go), which takes the answers, and a
// responder (responder.go), which serves the peer; each has its own state, and reaches the others by the queue pair. How much the requester has
// outstanding, and how a lost packet is sent again, is in window.go; what all three do about atomics in atomic.go. Clauses such as "IBA 9.7" are of
// the InfiniBand Architecture Specification, volume 1.
//
// Locks are taken in this order: context, multicast groups, queue pair, its send and receive queue or the shared one, region, completion queue,
// event queue. Whoever runs the engine's rounds has its turn; that is taken before a queue pair's lock, never with one held, and its doorbells
// are guarded by a lock under which no other is taken. The engine never takes a context's lock, nor any of who is above, and reads the groups
// before it takes a queue pair's.
//
// Who opened the device, what carries its packets, and who connects queue pairs is not known here: the link is given to the engine, and what
// arrives for queue pair 1 is handed up.
package transport
