package verbstest

import "rdmatui/verbs"

const (
	udInitMask = verbs.AttrState | verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrQKey
	udRTSMask  = verbs.AttrState | verbs.AttrSQPSN
	qkey       = 0x11111111
)

// queuePairTypes lists the types that the suite can bring up.
var queuePairTypes = []verbs.QPType{verbs.RC, verbs.UC, verbs.UD}

// step returns the attributes that move a queue pair of o.typ to a state from the one before
// it.
func (b *bench) step(o pairOptions, to verbs.QPState, dest verbs.QPN) verbs.QPAttr {
	ud := o.typ == verbs.UD
	switch {
	case to == verbs.QPInit && ud:
		return verbs.QPAttr{Mask: udInitMask, QPState: to, PortNum: 1, QKey: qkey}
	case to == verbs.QPInit:
		return b.initAttr(o)
	case to == verbs.QPRTR && !ud:
		return b.rtrAttr(o, dest, o.psnB)
	case to == verbs.QPRTS && ud:
		return verbs.QPAttr{Mask: udRTSMask, QPState: to, SQPSN: o.psnA}
	case to == verbs.QPRTS:
		return rtsAttr(o, o.psnA)
	}
	return toState(to)
}

// bringUp walks a queue pair from RESET to INIT, RTR, RTS, SQD or ERR.
func (b *bench) bringUp(qp verbs.QP, o pairOptions, to verbs.QPState, dest verbs.QPN) {
	b.t.Helper()
	if to == verbs.QPErr {
		b.must(qp.Modify(b.step(o, verbs.QPInit, dest)))
		b.must(qp.Modify(toState(to)))
		return
	}
	for s := verbs.QPInit; s <= to; s++ {
		b.must(qp.Modify(b.step(o, s, dest)))
	}
}

// talkers are two queue pairs of any type that can send to each other.
type talkers struct {
	*pair
	ah verbs.AH // UD only
}

func (b *bench) newTalkers(typ verbs.QPType) *talkers {
	b.t.Helper()
	if typ != verbs.UD {
		return &talkers{pair: b.newPair(pairOptions{typ: typ, access: allRemote, rnrTimer: 1})}
	}
	tk := &talkers{pair: &pair{bench: b, a: b.newQP(typ, false), b: b.newQP(typ, false)}, ah: b.newAH(b.ownAH())}
	o := pairOptions{typ: typ}.withDefaults()
	b.bringUp(tk.a, o, verbs.QPRTS, 0)
	b.bringUp(tk.b, o, verbs.QPRTS, 0)
	return tk
}

func (b *bench) newAH(attr verbs.AHAttr) verbs.AH {
	b.t.Helper()
	ah, err := b.pd.CreateAH(attr)
	b.must(err)
	b.closeAtEnd(ah)
	return ah
}

// send is a signalled SEND to the queue pair, whatever the type.
func (tk *talkers) send(wrID uint64, to verbs.QP, list []verbs.SGE) verbs.SendWR {
	wr := verbs.SendWR{WRID: wrID, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: list}
	if tk.ah != nil {
		wr.AH, wr.RemoteQPN, wr.RemoteQKey = tk.ah, to.Num(), qkey
	}
	return wr
}
