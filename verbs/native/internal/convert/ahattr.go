package convert

import (
	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
)

// RawAHAttr is C's form of an address vector.
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

// AHAttr is what C has written.
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

// Flag is a bool as C keeps it in a byte.
func Flag(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
