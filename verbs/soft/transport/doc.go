// Package transport is the packet-moving part of a software device: queue pairs with their send, receive and completion
// queues, and the engine that serves them.
//
// An [Adapter] owns the tables of queue pairs and memory keys and, while it is open, one [Engine]: the goroutine that
// moves all packets. A [Device] is one opening of the adapter, with protection domains, completion queues and queue
// pairs. A post writes the request into a ring and rings the engine's doorbell. In each round the engine takes a batch
// of packets, passes each to its queue pair, lets every queue pair that has something to send do so, and passes all
// resulting packets to the link at once. This coalesces acknowledgements, and no wakeups are needed while the engine
// runs. Over sockets, a program that posts, polls or waits while the engine sleeps runs rounds itself, and the engine
// stands by: Engine.assist and rest.go say why.
//
// A queue pair consists of a requester (requester.go), which sends the posted requests, a completer (completer.go),
// which processes the responses, and a responder (responder.go), which serves the peer. qp.go has the state of all
// three; each reaches the others through the queue pair. They share completion.go, which completes requests, retry.go,
// which has the timers and sends again, and window.go, which limits how much the requester has outstanding. atomic.go
// is the part of all three that handles atomics, placement.go that of FLUSH and ATOMIC_WRITE. Clauses such as "IBA 9.7"
// are those of the InfiniBand Architecture Specification, volume 1.
//
// The files form layers, and each uses only those below its own. At the top are the verbs that programs call
// (qp_create.go, qp_modify.go, post.go, poll.go) and the engine's rounds (rounds.go); below them what a queue pair does
// in a round (qp_serve.go and the three parts), its state (qp.go), the queues, the engine's state and buffers
// (engine.go), and the adapter. The exceptions are types that name each other: an adapter has tables of queue pairs,
// and an engine has a list of those to serve.
//
// Locks are taken in this order: context, multicast groups, queue pair, its send and receive queue or the shared one,
// region, completion queue, event queue. A goroutine that runs the engine's rounds holds its turn, which is taken
// before a queue pair's lock and never while one is held. The lock of the doorbells is a leaf: no other is taken under
// it. The engine never takes a context's lock, nor any lock above it, and reads the groups before it takes a queue
// pair's.
//
// This package does not know who opened the device, what carries its packets, or who connects queue pairs: the engine
// is given its link, and passes packets for queue pair 1 up.
package transport
