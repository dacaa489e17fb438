// Package link carries RoCEv2 packets between software devices.
//
// A carrier owns what stands outside the UDP payload: the addresses, and therefore the invariant CRC, which covers them. A packet is
// sealed on its way out and checked on its way in; the transport above sees only packets that arrived whole. Nothing here knows
// about acknowledgements or retries.
//
// [Fabric] is the carrier inside one process, [UDP] the one between processes and hosts. [Faulty] does harm on purpose, over either.
package link
