// Package oob exchanges queue pair addresses out of band, before the queue
// pairs can talk: the record and the TCP dialogue of the stock ibv_*_pingpong
// programs, byte for byte.
package oob

import (
	"encoding/hex"
	"fmt"
	"strconv"

	"rdmatui/verbs"
)

// Record is what one end tells the other about its queue pair.
type Record struct {
	LID uint16    // 0 on RoCE
	QPN verbs.QPN // 24 bits
	PSN verbs.PSN // 24 bits; the sender's sq_psn
	GID verbs.GID // all zero: reach the sender by its LID
}

// RecordLen is the length of a record on the wire: fixed columns of lower-case
// hexadecimal digits, joined by colons, and one NUL.
const RecordLen = 52

// The record's columns: where each starts and how many digits it has.
const (
	lidAt, lidDigits = 0, 4
	qpnAt, qpnDigits = 5, 6
	psnAt, psnDigits = 12, 6
	gidAt, gidDigits = 19, 32
)

// String renders the record as on the wire, without the NUL; it can be pasted
// into a peer command.
func (r Record) String() string {
	return fmt.Sprintf("%04x:%06x:%06x:%x", r.LID, uint32(r.QPN&verbs.MaxQPN), uint32(r.PSN&verbs.MaxPSN), r.GID[:])
}

// Wire returns the RecordLen bytes that go over the connection.
func (r Record) Wire() []byte { return append([]byte(r.String()), 0) }

// ParseWire reads the RecordLen bytes of a peer.
func ParseWire(b []byte) (Record, error) {
	if len(b) != RecordLen {
		return Record{}, fmt.Errorf("the address record has %[2]d bytes instead of %[1]d", RecordLen, len(b))
	}
	if b[RecordLen-1] != 0 {
		return Record{}, fmt.Errorf("the address record %q does not end with a NUL", b)
	}
	return ParseRecord(string(b[:RecordLen-1]))
}

// ParseRecord reads the text form, as pasted by hand; digits of either case.
func ParseRecord(s string) (Record, error) {
	if len(s) != RecordLen-1 {
		return Record{},
			fmt.Errorf("%q is not an address record LID:QPN:PSN:GID with 4, 6, 6 and 32 hexadecimal digits", clip(s))
	}
	for _, at := range []int{qpnAt - 1, psnAt - 1, gidAt - 1} {
		if s[at] != ':' {
			return Record{}, fmt.Errorf("address record %q: no colon at column %d", s, at+1)
		}
	}
	var r Record
	fields := []struct {
		name       string
		at, digits int
		set        func(uint64)
	}{
		{"LID", lidAt, lidDigits, func(v uint64) { r.LID = uint16(v) }},
		{"QPN", qpnAt, qpnDigits, func(v uint64) { r.QPN = verbs.QPN(v) }},
		{"PSN", psnAt, psnDigits, func(v uint64) { r.PSN = verbs.PSN(v) }},
	}
	for _, f := range fields {
		text := s[f.at : f.at+f.digits]
		v, err := strconv.ParseUint(text, 16, 32)
		if err != nil {
			return Record{}, fmt.Errorf("address record %q: %s %q is not hexadecimal", s, f.name, text)
		}
		f.set(v)
	}
	if _, err := hex.Decode(r.GID[:], []byte(s[gidAt:gidAt+gidDigits])); err != nil {
		return Record{}, fmt.Errorf("address record %q: GID %q is not hexadecimal", s, s[gidAt:])
	}
	return r, nil
}

// clip bounds what is quoted of a peer's or a user's bytes.
func clip(s string) string {
	if len(s) > 2*RecordLen {
		return s[:2*RecordLen] + "…"
	}
	return s
}
