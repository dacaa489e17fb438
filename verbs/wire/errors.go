package wire

import (
	"errors"
	"strconv"
)

var (
	// ErrTruncated matches every error about bytes that end inside a header.
	ErrTruncated = errors.New("wire: truncated")
	// ErrOpcode means that the BTH's opcode is unknown, so the bytes after the BTH cannot be interpreted.
	ErrOpcode = errors.New("wire: unknown BTH opcode")
	// ErrPad means that the BTH's pad count and the length of the packet disagree.
	ErrPad = errors.New("wire: pad count does not fit the payload")
	// ErrClass means that a management datagram is not a connection manager message of version 2.
	ErrClass = errors.New("wire: not a connection manager message (class 7, version 2)")
	// ErrAttribute means that there is no codec for the message.
	ErrAttribute = errors.New("wire: unknown connection manager attribute ID")
	// ErrCMIP means that private data does not start with a known IP addressing header.
	ErrCMIP = errors.New("wire: not an IP addressing header of version 0")
)

// truncatedError names the truncated header. Its values are package variables, so that a flood of short packets
// allocates nothing.
type truncatedError struct {
	header string
	need   int
}

// Error returns which header is truncated and how many bytes it needs.
func (e *truncatedError) Error() string {
	return "wire: truncated: " + e.header + " needs " + strconv.Itoa(e.need) + " bytes"
}

// Is makes errors.Is(err, ErrTruncated) hold.
func (e *truncatedError) Is(target error) bool { return target == ErrTruncated }

var (
	errShortBTH          = &truncatedError{"BTH", BTHLen}
	errShortDETH         = &truncatedError{"DETH", DETHLen}
	errShortFETH         = &truncatedError{"FETH", FETHLen}
	errShortGRH          = &truncatedError{"GRH", GRHLen}
	errShortLRH          = &truncatedError{"LRH", LRHLen}
	errShortRETH         = &truncatedError{"RETH", RETHLen}
	errShortAtomicETH    = &truncatedError{"AtomicETH", AtomicETHLen}
	errShortAETH         = &truncatedError{"AETH", AETHLen}
	errShortAtomicAckETH = &truncatedError{"AtomicAckETH", AtomicAckETHLen}
	errShortImmDt        = &truncatedError{"ImmDt", ImmDtLen}
	errShortIETH         = &truncatedError{"IETH", IETHLen}
	errShortICRC         = &truncatedError{"ICRC", ICRCLen}
	errShortMADHeader    = &truncatedError{"MAD header", MADHeaderLen}
	errShortCM           = &truncatedError{"message of the connection manager", CMBodyLen}
	errShortCMIP         = &truncatedError{"IP addressing header", CMIPLen}
)
