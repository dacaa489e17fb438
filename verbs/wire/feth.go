package wire

import "encoding/binary"

// FETHLen is the length of a FETH in bytes.
const FETHLen = 4

// FETH is the flush extended transport header, of FLUSH requests (IBA vol 1, annex A19). It precedes the RETH.
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+---------------------------------------------------+---+-------+
//	|                     reserved                      |SEL|  PLT  |
//	+---------------------------------------------------+---+-------+
type FETH struct {
	// Level is SEL, the range to flush.
	Level FlushLevel
	// Type is PLT, how far the data must have been placed.
	Type FlushType
}

// FlushLevel is the selectivity level of a FLUSH: two bits, of which the values above [FlushRegion] are reserved.
type FlushLevel uint8

// The selectivity levels.
const (
	FlushRange  FlushLevel = 0 // the bytes that the RETH names
	FlushRegion FlushLevel = 1 // the whole memory region of the R_Key
)

// FlushType is the placement type of a FLUSH: four bits, of which two are defined.
type FlushType uint8

// The bits of a placement type.
const (
	FlushGlobal     FlushType = 1 << 0 // visible to all that read the memory
	FlushPersistent FlushType = 1 << 1 // survives a loss of power
)

const (
	flushTypeMask  = 0xf
	flushLevelMask = 0x3
	flushLevelAt   = 4
)

// Decode reads h from the start of p.
func (h *FETH) Decode(p []byte) error {
	if len(p) < FETHLen {
		return errShortFETH
	}
	h.Level, h.Type = FlushLevel(p[3]>>flushLevelAt&flushLevelMask), FlushType(p[3]&flushTypeMask)
	return nil
}

// Append appends the FETHLen bytes of h to dst.
func (h *FETH) Append(dst []byte) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(h.Level&flushLevelMask)<<flushLevelAt|uint32(h.Type&flushTypeMask))
}

// String returns the level's name.
func (l FlushLevel) String() string {
	switch l {
	case FlushRange:
		return "RANGE"
	case FlushRegion:
		return "MR"
	}
	return string(appendUnknown(nil, uint8(l)))
}

var flushTypeNames = [...]string{"0", "GLOBAL", "PERSISTENT", "GLOBAL|PERSISTENT"}

// String returns the names of the type's bits, joined by '|'.
func (t FlushType) String() string {
	if int(t) < len(flushTypeNames) {
		return flushTypeNames[t]
	}
	return string(appendUnknown(nil, uint8(t)))
}
