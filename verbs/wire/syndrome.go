package wire

import (
	"sort"
	"strconv"
)

// Syndrome is the first byte of an AETH (IBA vol 1, 9.7.5.2).
//
//	 7 6 5 4 3 2 1 0
//	+-+---+---------+
//	|0|0 0| credits |   ACK
//	|0|0 1|  timer  |   RNR NAK
//	|0|1 1|   code  |   NAK
//	+-+---+---------+
//
// Every other pattern is reserved.
type Syndrome uint8

// SyndromeKind is the kind of acknowledgement in a [Syndrome].
type SyndromeKind uint8

// The kinds of syndrome. Their values are the three high bits on the wire.
const (
	SyndromeACK SyndromeKind = 0 // the packets up to the PSN have arrived
	SyndromeRNR SyndromeKind = 1 // receiver not ready: no RECV is posted
	SyndromeNAK SyndromeKind = 3 // a request was refused
)

const (
	syndromeShift = 5
	syndromeValue = 1<<syndromeShift - 1
	// noCredits as a credit count means that the responder does not limit the requester.
	noCredits = 31
)

// ACKUnlimited is an ACK of a responder that does not use end-to-end credits.
const ACKUnlimited = Syndrome(noCredits)

// ACKWithCredits returns an ACK that grants at most n messages: counts that have no code are rounded down.
func ACKWithCredits(n int) Syndrome {
	code := sort.Search(len(creditCounts), func(i int) bool { return int(creditCounts[i]) > n })
	return Syndrome(max(code-1, 0))
}

// RNRNAK returns the syndrome that asks the requester to wait for t and try again.
func RNRNAK(t RNRTimer) Syndrome {
	return Syndrome(SyndromeRNR)<<syndromeShift | Syndrome(t)&syndromeValue
}

// NAK returns the syndrome that refuses a request for reason c.
func NAK(c NAKCode) Syndrome {
	return Syndrome(SyndromeNAK)<<syndromeShift | Syndrome(c)&syndromeValue
}

// Kind returns the kind of s; values other than the three constants are reserved.
func (s Syndrome) Kind() SyndromeKind { return SyndromeKind(s >> syndromeShift) }

// Credits returns how many messages beyond the AETH's MSN an ACK lets the requester have outstanding; limited is false
// if the responder does not use credits.
func (s Syndrome) Credits() (n int, limited bool) {
	if code := s & syndromeValue; code != noCredits {
		return int(creditCounts[code]), true
	}
	return 0, false
}

// RNRTimer returns the delay that an RNR NAK asks for.
func (s Syndrome) RNRTimer() RNRTimer { return RNRTimer(s & syndromeValue) }

// NAKCode returns the reason for a NAK.
func (s Syndrome) NAKCode() NAKCode { return NAKCode(s & syndromeValue) }

// String returns s in words.
func (s Syndrome) String() string { return string(s.appendText(nil)) }

func (s Syndrome) appendText(dst []byte) []byte {
	switch s.Kind() {
	case SyndromeACK:
		dst = append(dst, "ACK"...)
		if n, limited := s.Credits(); limited {
			dst = append(dst, " credits "...)
			dst = strconv.AppendInt(dst, int64(n), 10)
		}
		return dst
	case SyndromeRNR:
		return s.RNRTimer().appendText(append(dst, "RNR NAK "...))
	case SyndromeNAK:
		return s.NAKCode().appendText(append(dst, "NAK "...))
	}
	return appendUnknown(dst, uint8(s))
}

// creditCounts is the number of messages behind each credit code (IBA vol 1, 9.7.7.2); code 31 is noCredits.
var creditCounts = [noCredits]uint16{
	0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
	1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768,
}

// NAKCode is the reason in a NAK syndrome, 0 to 31 (IBA vol 1, 9.7.5.2).
type NAKCode uint8

// The NAK codes. Others are reserved.
const (
	NAKPSNSequence       NAKCode = 0 // a packet is missing before this one
	NAKInvalidRequest    NAKCode = 1 // the opcode or length does not fit
	NAKRemoteAccess      NAKCode = 2 // the key, range or right does not allow it
	NAKRemoteOperational NAKCode = 3 // the responder could not finish
	NAKInvalidRDRequest  NAKCode = 4 // reliable datagram only
)

var nakNames = [...]string{
	NAKPSNSequence:       "PSN sequence error",
	NAKInvalidRequest:    "invalid request",
	NAKRemoteAccess:      "remote access error",
	NAKRemoteOperational: "remote operational error",
	NAKInvalidRDRequest:  "invalid RD request",
}

// String returns the code's name.
func (c NAKCode) String() string { return string(c.appendText(nil)) }

func (c NAKCode) appendText(dst []byte) []byte {
	if int(c) < len(nakNames) {
		return append(dst, nakNames[c]...)
	}
	return appendUnknown(dst, uint8(c))
}
