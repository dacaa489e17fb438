// Package soft is a RoCEv2 device made of software alone: a provider for machines without RDMA hardware, and a second one to compare
// a real device with.
//
// An adapter is what a card would be: the tables of queue pairs and memory keys, a link, and one engine, the goroutine that moves
// all packets. A context is one opening of it, with protection domains, regions, completion queues and queue pairs. Posting a
// request writes it into a ring and rings the engine's doorbell; the engine's round is: take a batch of packets, hand each to its
// queue pair, then let every queue pair that has something to say answer and send, and pass all of it to the link at once. So
// acknowledgements are naturally coalesced, and nobody is woken while the engine runs. Over sockets a program that posts, polls or waits
// while the engine sleeps runs rounds itself, and the engine stands by: engine.assist and rest.go say why.
//
// A queue pair is a requester (requester.go), which sends what was posted, a completer (completer.go), which takes the answers, and a
// responder (responder.go), which serves the peer. How much the requester has outstanding, and how a lost packet is sent again, is in
// window.go; what both halves do about atomics in atomic.go. Clauses such as "IBA 9.7" are of the InfiniBand Architecture Specification, volume 1.
//
// Connections are made by a manager (cm_manager.go), one for all adapters as on a host. A connection as two managers see it (cm_conn.go)
// and the identifier that a program has of it (cm_id.go) are two things: the one outlives the other. Datagrams for queue pair 1 go from the
// engine to the manager by an inbox, and back by the engine's next round.
//
// Locks are taken in this order: connection manager, context, multicast groups, queue pair, its send and receive queue or the shared one,
// region, completion queue, event queue. The engine never takes the manager's or a context's, and reads the groups before it takes a
// queue pair's.
package soft
