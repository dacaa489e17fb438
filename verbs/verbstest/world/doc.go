// Package world simulates hosts with software devices on one network in virtual time. One seed determines everything:
// the schedule of calls, the faults of the network, the objects, and the packets of a hostile host. The package runs
// the real transport and connection manager of verbs/soft and compares them with its own models:
//
//   - liveness: each request, connection request and identifier ends in a completion or an event within the time that
//     its timeouts and retries allow;
//   - integrity: each region contains the bytes that the completed operations imply, and a request that must be refused
//     never succeeds;
//   - confidentiality: no packet contains bytes that no key, right or window exposes to the peer;
//   - effort: a request exhausts its retries only after as many as its queue pair allows, a sender goes back only after
//     a NAK or its timeout, a duplicate is acknowledged, and a connection manager repeats its request before it gives
//     up;
//   - blame: the status of a failed RECV or window matches its mistake, and the sender is told;
//   - conservation: after everything is closed no resource is in use and no goroutine is left.
//
// Package sim says how a seed replays. Only goroutines that the same one has started run concurrently; the interleaving
// of those that one call or packet has started is not determined.
//
// A seed that fails is printed with the command that replays it:
//
//	go test ./verbs/verbstest/world -run 'TestWorld$' -seed=N -v
package world
