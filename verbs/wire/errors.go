package wire

import (
	"errors"
	"strconv"
)

var (
	// ErrTruncated matches every error about bytes that end before a header does.
	ErrTruncated = errors.New("wire: truncated")
	// ErrOpcode means that the BTH's opcode is not in the table, so what follows the BTH cannot be told apart.
	ErrOpcode = errors.New("wire: unknown BTH opcode")
	// ErrPad means that the BTH's pad count and the length of the packet disagree.
	ErrPad = errors.New("wire: pad count does not fit the payload")
)

// truncatedError names the header that did not fit. Its values are made once: a flood of short packets must not allocate.
type truncatedError struct {
	header string
	need   int
}

func (e *truncatedError) Error() string {
	return "wire: truncated: " + e.header + " needs " + strconv.Itoa(e.need) + " bytes"
}

// Is makes errors.Is(err, ErrTruncated) hold.
func (e *truncatedError) Is(target error) bool { return target == ErrTruncated }

var (
	errShortBTH          = &truncatedError{"BTH", BTHLen}
	errShortDETH         = &truncatedError{"DETH", DETHLen}
	errShortRETH         = &truncatedError{"RETH", RETHLen}
	errShortAtomicETH    = &truncatedError{"AtomicETH", AtomicETHLen}
	errShortAETH         = &truncatedError{"AETH", AETHLen}
	errShortAtomicAckETH = &truncatedError{"AtomicAckETH", AtomicAckETHLen}
	errShortImmDt        = &truncatedError{"ImmDt", ImmDtLen}
	errShortIETH         = &truncatedError{"IETH", IETHLen}
	errShortICRC         = &truncatedError{"ICRC", ICRCLen}
)
