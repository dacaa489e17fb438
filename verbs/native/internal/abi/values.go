package abi

import "rdmatui/verbs"

// The functions below convert between package verbs' values and C's structs, for both the provider and its connection
// manager. They allocate nothing in C and check nothing: values are copied as they are.

// RawQPAttr returns the attributes as a C struct.
func RawQPAttr(a *verbs.QPAttr) *QPAttr {
	return &QPAttr{
		QPState:          uint32(a.QPState),
		CurQPState:       uint32(a.CurQPState),
		PathMTU:          uint32(a.PathMTU),
		PathMigState:     uint32(a.PathMigState),
		QKey:             a.QKey,
		RQPSN:            uint32(a.RQPSN),
		SQPSN:            uint32(a.SQPSN),
		DestQPNum:        uint32(a.DestQPNum),
		QPAccessFlags:    uint32(a.QPAccessFlags),
		Cap:              QPCap(a.Cap),
		AHAttr:           RawAHAttr(&a.AH),
		AltAHAttr:        RawAHAttr(&a.AltAH),
		PKeyIndex:        a.PKeyIndex,
		AltPKeyIndex:     a.AltPKeyIndex,
		EnSQDAsyncNotify: Flag(a.EnSQDAsyncNotify),
		SQDraining:       Flag(a.SQDraining),
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

// Values returns the attributes of a C struct; mask holds the fields that were requested.
func (a *QPAttr) Values(mask verbs.AttrMask) verbs.QPAttr {
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
		AH:               a.AHAttr.Values(),
		AltAH:            a.AltAHAttr.Values(),
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

// Values returns the attributes at creation of a C struct.
func (a *QPInitAttr) Values() verbs.QPInitAttr {
	return verbs.QPInitAttr{Cap: verbs.QPCap(a.Cap), QPType: verbs.QPType(a.QPType), SQSigAll: a.SQSigAll != 0}
}

// RawAHAttr returns an address vector as a C struct.
func RawAHAttr(a *verbs.AHAttr) AHAttr {
	return AHAttr{
		GRH: GlobalRoute{
			DGID:         GID{Raw: a.GRH.DGID},
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

// Values returns the address vector of a C struct.
func (a *AHAttr) Values() verbs.AHAttr {
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
