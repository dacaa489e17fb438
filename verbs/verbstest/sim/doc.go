// Package sim runs simulated worlds of software devices on one network, in virtual time and from one seed each. A world
// says what its hosts do and which rules hold; this package holds what all worlds share: the seeds and their flags, the
// virtual clock, the digest of a run, and the faulty network.
//
// The network takes each sent packet off the fabric and puts it back at a time that the seed determines. A call is
// made, a packet arrives, or a timer fires; then all goroutines become idle before the next. So a seed replays the same
// packets and results at the same times, and the digest of a run is computed from them. Packets that several queue
// pairs of a host send at the same instant are put in a fixed order before the network handles them.
package sim
