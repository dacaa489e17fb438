package native

import (
	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
)

func rawQPAttr(a *verbs.QPAttr) *abi.QPAttr {
	return &abi.QPAttr{
		QPState:          uint32(a.QPState),
		CurQPState:       uint32(a.CurQPState),
		PathMTU:          uint32(a.PathMTU),
		PathMigState:     uint32(a.PathMigState),
		QKey:             a.QKey,
		RQPSN:            uint32(a.RQPSN),
		SQPSN:            uint32(a.SQPSN),
		DestQPNum:        uint32(a.DestQPNum),
		QPAccessFlags:    uint32(a.QPAccessFlags),
		Cap:              abi.QPCap(a.Cap),
		AHAttr:           rawAHAttr(&a.AH),
		AltAHAttr:        rawAHAttr(&a.AltAH),
		PKeyIndex:        a.PKeyIndex,
		AltPKeyIndex:     a.AltPKeyIndex,
		EnSQDAsyncNotify: flag(a.EnSQDAsyncNotify),
		SQDraining:       flag(a.SQDraining),
		MaxRdAtomic:      a.MaxRDAtomic,
		MaxDestRdAtomic:  a.MaxDestRDAtomic,
		MinRNRTimer:      a.MinRNRTimer,
		PortNum:          a.PortNum,
		Timeout:          a.Timeout,
		RetryCnt:         a.RetryCnt,
		RNRRetry:         a.RNRRetry,
		AltPortNum:       a.AltPortNum,
		AltTimeout:       a.AltTimeout,
		RateLimit:        a.RateLimit,
	}
}

func qpAttr(a *abi.QPAttr, mask verbs.AttrMask) verbs.QPAttr {
	return verbs.QPAttr{
		Mask:             mask,
		QPState:          verbs.QPState(a.QPState),
		CurQPState:       verbs.QPState(a.CurQPState),
		PathMTU:          verbs.MTU(a.PathMTU),
		PathMigState:     verbs.MigState(a.PathMigState),
		QKey:             a.QKey,
		RQPSN:            verbs.PSN(a.RQPSN),
		SQPSN:            verbs.PSN(a.SQPSN),
		DestQPNum:        verbs.QPN(a.DestQPNum),
		QPAccessFlags:    verbs.Access(a.QPAccessFlags),
		Cap:              verbs.QPCap(a.Cap),
		AH:               ahAttr(&a.AHAttr),
		AltAH:            ahAttr(&a.AltAHAttr),
		PKeyIndex:        a.PKeyIndex,
		AltPKeyIndex:     a.AltPKeyIndex,
		EnSQDAsyncNotify: a.EnSQDAsyncNotify != 0,
		SQDraining:       a.SQDraining != 0,
		MaxRDAtomic:      a.MaxRdAtomic,
		MaxDestRDAtomic:  a.MaxDestRdAtomic,
		MinRNRTimer:      a.MinRNRTimer,
		PortNum:          a.PortNum,
		Timeout:          a.Timeout,
		RetryCnt:         a.RetryCnt,
		RNRRetry:         a.RNRRetry,
		AltPortNum:       a.AltPortNum,
		AltTimeout:       a.AltTimeout,
		RateLimit:        a.RateLimit,
	}
}

func qpInitAttr(a *abi.QPInitAttr) verbs.QPInitAttr {
	return verbs.QPInitAttr{Cap: verbs.QPCap(a.Cap), QPType: verbs.QPType(a.QPType), SQSigAll: a.SQSigAll != 0}
}

func rawAHAttr(a *verbs.AHAttr) abi.AHAttr {
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
		IsGlobal:    flag(a.IsGlobal),
		PortNum:     a.PortNum,
	}
}

func ahAttr(a *abi.AHAttr) verbs.AHAttr {
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

// flag is a bool as C keeps it in a byte.
func flag(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
