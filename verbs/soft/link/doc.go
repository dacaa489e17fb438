// Package link carries RoCEv2 packets between software devices.
//
// A carrier owns what is outside the UDP payload: the addresses, and therefore the invariant CRC, which covers them. It
// appends the ICRC when a packet is sent and checks it when a packet arrives; the transport above sees only intact
// packets. Acknowledgements and retries are not its concern.
//
// [Fabric] is the carrier inside one process, [UDP] the one between processes and hosts. [Faulty] adds deliberate
// faults to either.
//
// # The identification of IPv4 packets
//
// The ICRC covers the identification in the IPv4 header, and an unprivileged UDP socket does not expose it: no control
// message carries it, and a socket filter can read it but only drop or truncate the packet. Because the CRC is linear,
// [wire.ICRC.RecoverID] can compute the identification for which it is right. A damaged packet then passes with a
// probability of 2^-16, because 16 of the CRC's 32 bits are spent on the search. [UDP] regains most of them: it learns
// which identifications a sender uses and requires later ones to be consistent.
//
// Senders differ. An unconnected socket with "don't fragment" always sends 0; with segmentation offload it sends 0, 1,
// 2 … in each message. The kernel's RoCE takes a counter for each pair of addresses, which all queue pairs share and
// which advances by up to 1 a millisecond while it is unused. Other senders have a counter or a constant for each port.
// So a packet is accepted if its identification lies within 64 of the previous one from the same port or the same
// address: a damaged packet passes with a probability of 129/2^32, or 2^-25, and twice that where port and address
// differ. Loss, reordering and wrapping counters stay within that range.
//
// An identification further away is a jump. A jump is accepted where it is plausible: from a new port; from an address
// that has not yet sent 16 consistent packets in a row; and from a counter that is at most 1024 away from its last
// value, plus one for each millisecond since, because packets were lost, delayed, or waited to be received. Otherwise
// the packet is refused, and a second packet that confirms the jump is accepted: what a sender repeats gets through.
// After 8 jumps the sender counts as having no pattern, and all its packets are accepted until 16 in a row are
// consistent.
//
// Until damage is recognized, damaged packets from a counter pass with a probability of 2^-21. None of these exceptions
// applies once there were 256 damaged packets for each jump: then damage explains the jump. The identification must
// then be as near to the previous ones as the sender's good packets were: a damaged packet of a sender that always
// sends the same one passes with 2^-32, of a counter without loss with 3·2^-32; as many more while a refused packet
// waits to be confirmed. Damaged packets and jumps count half after 16 seconds.
//
// The 1024 ports and 1024 addresses heard most recently are remembered. A stranger who forges packets of a peer cannot
// lock it out: forged packets count as jumps, and jumps are accepted unless damage explains them. IPv6 has no
// identification, so all 32 bits of its ICRC are checked. Refused packets are counted in the device's odd_ip_id.
package link
