// Package wire encodes and decodes the packets of RoCEv2: the transport headers of the InfiniBand Architecture (IBA vol
// 1, chapter 9) as they follow a UDP header (annex A17), and the invariant CRC behind them.
//
//	IPv4 or IPv6 │ UDP, port 4791 │ BTH │ extended headers │ payload │ 0..3 bytes of pad │ ICRC
//	                               └───────────── a packet, as this package sees it ──────────┘
//
// The opcode in the BTH alone determines which extended headers follow; [Opcode.Info] holds that table. The package
// only translates bytes: the transport judges an AETH in the wrong place or a PSN out of order.
//
// Nothing here keeps state, reads a clock or touches a socket. [Packet.Decode], [Packet.Append] and the methods of
// [ICRC] do not allocate; a decoded payload aliases the bytes it came from. All multi-byte fields are big-endian,
// except the ICRC.
package wire

// Port is the UDP destination port of RoCEv2 (IANA "roce"; IBA vol 1, annex A17).
const Port = 4791

// MaxLen is the longest packet there is, in bytes: BTH, RETH and ImmDt, a payload of the largest path MTU (4096), and
// the ICRC.
const MaxLen = BTHLen + RETHLen + ImmDtLen + 4096 + ICRCLen
