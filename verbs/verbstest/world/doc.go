// Package world simulates hosts with software devices on one network in virtual time, all from one seed: the schedule of calls, what the
// network does to packets, which objects there are, and what a hostile host sends. It runs the real transport and connection manager of
// verbs/soft and holds them against models of its own:
//
//   - liveness: each request, connection request and identifier ends in a completion or an event within the time that its timeouts and
//     retries allow;
//   - integrity: the bytes of each region are what the completed operations say, and a request that must be refused never succeeds;
//   - confidentiality: bytes that no key, right or window shows to the peer are in no packet;
//   - effort: a request fails by retries only after as many as its queue pair allows, a sender goes back only when it is told to or its
//     timeout has passed, a duplicate is acknowledged, and a connection manager asks again before it gives up;
//   - blame: what a RECV or a window fails with is what is wrong with it, and the sender is told so;
//   - conservation: when all is closed nothing is held, and no goroutine is left.
//
// What a seed determines: each packet that is sent is taken off the fabric and put back at a time that the seed decides, and between two
// calls, packets or timers every goroutine comes to rest. What runs at once is therefore only what one of them set in motion, and where
// several queue pairs of a host send at the same instant their packets are put in a fixed order before the network treats them. So a seed
// replays the same packets, completions and events at the same times; the digest of a run is made of them. Not determined is how the
// goroutines that one call or packet sets in motion interleave until they rest.
//
// A seed that fails is printed with the command that runs it again:
//
//	go test ./verbs/verbstest/world -run 'TestWorld$' -seed=N -v
package world
