package convert

import (
	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
)

// RawAHAttr returns an address vector as a C struct.
func RawAHAttr(a *verbs.AHAttr) abi.AHAttr {
	return abi.AHAttr{
		GRH: abi.GlobalRoute{
			DGID:         abi.GID{Raw: a.GRH.DGID},
			FlowLabel:    a.GRH.FlowLabel,
			SGIDIndex:    a.GRH.SGIDIndex,
			HopLimit:     a.GRH.HopLimit,
			TrafficClass: a.GRH.TrafficClass,
		},
		DLID:        a.DLID,
		SL:          a.SL,
		SrcPathBits: a.SrcPathBits,
		StaticRate:  a.StaticRate,
		IsGlobal:    Flag(a.IsGlobal),
		PortNum:     a.PortNum,
	}
}

// AHAttr converts an address vector from a C struct.
func AHAttr(a *abi.AHAttr) verbs.AHAttr {
	return verbs.AHAttr{
		GRH: verbs.GlobalRoute{
			DGID:         verbs.GID(a.GRH.DGID.Raw),
			FlowLabel:    a.GRH.FlowLabel,
			SGIDIndex:    a.GRH.SGIDIndex,
			HopLimit:     a.GRH.HopLimit,
			TrafficClass: a.GRH.TrafficClass,
		},
		DLID:        a.DLID,
		SL:          a.SL,
		SrcPathBits: a.SrcPathBits,
		StaticRate:  a.StaticRate,
		IsGlobal:    a.IsGlobal != 0,
		PortNum:     a.PortNum,
	}
}

// Flag returns a bool as C stores it in a byte.
func Flag(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
