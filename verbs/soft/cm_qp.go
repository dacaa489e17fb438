package soft

import (
	"net/netip"
	"syscall"

	"rdmatui/verbs"
)

// udpQKey is the Q_Key of datagram services in the IP port spaces.
const udpQKey = 0x01234567

func (id *cmID) qkey() uint32 { return udpQKey }

// CreateQP makes a queue pair and takes it to INIT, one of datagrams to RTS.
func (id *cmID) CreateQP(domain verbs.PD, spec verbs.QPSpec) (verbs.QP, error) {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	q, err := id.createQP(domain, spec)
	if err != nil {
		return nil, id.fail("rdma_create_qp", err)
	}
	return q, nil
}

func (id *cmID) createQP(domain verbs.PD, spec verbs.QPSpec) (*qp, error) {
	p, ours := domain.(*pd)
	switch {
	case id.state == idClosed:
		return nil, verbs.ErrClosed
	case id.context == nil, id.qp != nil, domain == nil:
		return nil, syscall.EINVAL
	case !ours:
		return nil, verbs.ErrForeignObject
	case p.dev != id.context.device, spec.QPType != id.qpType():
		return nil, syscall.EINVAL
	}
	q, err := p.createQP(spec)
	if err != nil {
		return nil, err
	}
	states := []verbs.QPState{verbs.QPInit}
	if id.datagrams() {
		states = []verbs.QPState{verbs.QPInit, verbs.QPRTR, verbs.QPRTS}
	}
	for _, s := range states {
		attr, err := id.qpAttr(s)
		if err == nil {
			err = q.Modify(attr)
		}
		if err != nil {
			q.Close()
			return nil, err
		}
	}
	q.mu.Lock()
	q.owner = id
	q.mu.Unlock()
	id.qp = q
	return q, nil
}

// disown is rdma_destroy_qp: the queue pair is closed.
func (id *cmID) disown(q *qp) {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	if id.qp == q {
		id.qp = nil
	}
}

// InitQPAttr returns what the manager would set.
func (id *cmID) InitQPAttr(state verbs.QPState) (verbs.QPAttr, error) {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	if id.state == idClosed {
		return verbs.QPAttr{}, id.fail("rdma_init_qp_attr", verbs.ErrClosed)
	}
	attr, err := id.qpAttr(state)
	if err != nil {
		return verbs.QPAttr{}, id.fail("rdma_init_qp_attr", err)
	}
	return attr, nil
}

func (id *cmID) qpAttr(state verbs.QPState) (verbs.QPAttr, error) {
	attr := verbs.QPAttr{Mask: verbs.AttrState, QPState: state}
	switch {
	case id.context == nil:
		return attr, syscall.EINVAL
	case id.datagrams():
		err := id.datagramAttr(&attr)
		return attr, err
	}
	c := id.conn
	switch {
	case state == verbs.QPInit:
		attr.Mask |= verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrAccessFlags
		attr.PortNum = 1
		if c != nil {
			attr.QPAccessFlags = verbs.RemoteWrite
			if c.responder > 0 {
				attr.QPAccessFlags |= verbs.RemoteRead | verbs.RemoteAtomic
			}
		}
		return attr, nil
	case c == nil || !c.is(connREQReceived, connREPReceived, connREPSent, connREPAcknowledged, connEstablished):
		return attr, syscall.EINVAL
	case state == verbs.QPRTR:
		attr.Mask |= verbs.AttrAV | verbs.AttrPathMTU | verbs.AttrDestQPN | verbs.AttrRQPSN | verbs.AttrMaxDestRDAtomic | verbs.AttrMinRNRTimer
		attr.AH, attr.PathMTU, attr.DestQPNum = id.ah(c.path.Dst.Addr()), c.mtu, verbs.QPN(c.remoteQPN)
		attr.RQPSN, attr.MaxDestRDAtomic = verbs.PSN(c.rqPSN), c.responder
		return attr, nil
	case state == verbs.QPRTS:
		attr.Mask |= verbs.AttrTimeout | verbs.AttrRetryCnt | verbs.AttrRNRRetry | verbs.AttrSQPSN | verbs.AttrMaxQPRDAtomic
		attr.Timeout, attr.RetryCnt, attr.RNRRetry = c.timeout, c.retryCount, c.rnrRetry
		attr.SQPSN, attr.MaxRDAtomic = verbs.PSN(c.sqPSN), c.initiator
		if id.ownTimeout {
			attr.Timeout = id.timeout
		}
		return attr, nil
	}
	return attr, syscall.EINVAL
}

func (id *cmID) datagramAttr(attr *verbs.QPAttr) error {
	switch attr.QPState {
	case verbs.QPInit:
		attr.Mask |= verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrQKey
		attr.PortNum, attr.QKey = 1, id.qkey()
	case verbs.QPRTR:
	case verbs.QPRTS:
		attr.Mask |= verbs.AttrSQPSN
	default:
		return syscall.EINVAL
	}
	return nil
}

// ah is the address vector to an address.
func (id *cmID) ah(to netip.Addr) verbs.AHAttr {
	return verbs.AHAttr{
		IsGlobal: true, PortNum: 1,
		GRH: verbs.GlobalRoute{DGID: verbs.GIDFromAddr(to), SGIDIndex: id.sgid, HopLimit: hopLimit, TrafficClass: id.tos},
	}
}

// moveUp takes the identifier's queue pair, where it has one, to RTS. It is in INIT already; its rights are known only now.
func (id *cmID) moveUp() error {
	if id.qp == nil {
		return nil
	}
	for _, s := range []verbs.QPState{verbs.QPInit, verbs.QPRTR, verbs.QPRTS} {
		attr, err := id.qpAttr(s)
		if err != nil {
			return err
		}
		if err := id.qp.Modify(attr); err != nil {
			return err
		}
	}
	return nil
}

// toError takes the queue pair to ERR.
func (id *cmID) toError() error {
	if id.qp == nil || id.datagrams() {
		return nil
	}
	return id.qp.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr})
}
