// Package convert converts between package verbs' values and C's structs, for both the
// provider and its connection manager. It allocates nothing in C and checks nothing:
// values are copied as they are.
package convert

import (
	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
)

// RawQPAttr returns the attributes as a C struct.
func RawQPAttr(a *verbs.QPAttr) *abi.QPAttr {
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

// QPAttr converts attributes from a C struct; mask holds the fields that were
// requested.
func QPAttr(a *abi.QPAttr, mask verbs.AttrMask) verbs.QPAttr {
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
		AH:               AHAttr(&a.AHAttr),
		AltAH:            AHAttr(&a.AltAHAttr),
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

// QPInitAttr converts the attributes at creation from a C struct.
func QPInitAttr(a *abi.QPInitAttr) verbs.QPInitAttr {
	return verbs.QPInitAttr{Cap: verbs.QPCap(a.Cap), QPType: verbs.QPType(a.QPType), SQSigAll: a.SQSigAll != 0}
}
