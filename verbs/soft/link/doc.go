// Package link carries RoCEv2 packets between software devices.
//
// A carrier owns what stands outside the UDP payload: the addresses, and therefore the invariant CRC, which covers them. A packet is
// sealed on its way out and checked on its way in; the transport above sees only packets that arrived whole. Nothing here knows
// about acknowledgements or retries.
//
// [Fabric] is the carrier inside one process, [UDP] the one between processes and hosts. [Faulty] does harm on purpose, over either.
//
// # The identification of IPv4 packets
//
// The ICRC covers the identification in the IPv4 header, and an unprivileged UDP socket does not show it: no control message carries it,
// and a socket filter sees it but can only drop or cut. The CRC being linear, [wire.ICRC.RecoverID] finds the identification for which
// it is right. A damaged packet has one with a chance of 2^-16, as 16 of the CRC's 32 bits are spent on the search. [UDP] wins most of
// them back: it learns which identifications a sender uses and demands that they go on so.
//
// Senders differ. An unconnected socket with "don't fragment" sends 0 always, with segmentation offload 0, 1, 2 … in each message. The
// kernel's RoCE takes a counter for each pair of addresses, which all queue pairs share and which moves by up to 1 a millisecond while
// nobody uses it. Other senders have a counter or a constant for each port. So a packet is accepted if its identification lies within 64
// of the one before, from the same port or the same address: a damaged one is with a chance of 129/2^32, or 2^-25, and twice that where
// port and address are apart. Loss, overtaking and counters that wrap stay within that.
//
// An identification further off is a jump. It is accepted where it is to be expected: from a port that is new, from an address that has
// not yet sent 16 packets in a row that fitted, and from a counter that is at most 1024 away from where it was, or one more for each
// millisecond: packets were lost, delayed, or waited to be received. From any other sender it is refused, and accepted when a second packet
// confirms it: what a sender repeats arrives. After 8 jumps the sender is taken for one without a pattern, and has all its packets accepted
// until 16 in a row fit.
//
// So the first damaged packets from a counter pass with a chance of 2^-21. None of these exceptions is made once 256 packets for each jump were
// damaged: damage explains the jump then. Damaged packets and jumps count half after 16 seconds.
//
// 1024 ports and 1024 addresses are remembered, those that were heard last. A stranger who forges packets of a peer cannot lock it out: what is
// forged counts as jumps, and jumps are accepted where damage does not explain them. Over IPv6, which has no identification, all 32 bits
// are checked. What is refused counts as odd_ip_id among the device's counters.
package link
