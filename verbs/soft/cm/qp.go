package cm

import (
	"net/netip"
	"syscall"

	"rdmatui/verbs"
)

// UDPQKey is the Q_Key of datagram services in the IP port spaces.
const UDPQKey = 0x01234567

func (id *ID) qkey() uint32 { return UDPQKey }

// CreateQP creates a queue pair and moves it to INIT, or to RTS for datagrams.
func (id *ID) CreateQP(domain verbs.PD, spec verbs.QPSpec) (verbs.QP, error) {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	q, err := id.createQP(domain, spec)
	if err != nil {
		return nil, id.fail("rdma_create_qp", err)
	}
	return q, nil
}

func (id *ID) createQP(domain verbs.PD, spec verbs.QPSpec) (QP, error) {
	switch {
	case id.state == idClosed:
		return nil, verbs.ErrClosed
	case id.context == nil, id.qp != nil, domain == nil:
		return nil, syscall.EINVAL
	}
	if err := id.context.CheckPD(domain); err != nil {
		return nil, err
	}
	if spec.QPType != id.qpType() {
		return nil, syscall.EINVAL
	}
	q, err := id.context.CreateQP(domain, spec)
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
	q.SetOwner(id)
	id.qp = q
	return q, nil
}

// Disown implements rdma_destroy_qp: the queue pair is closed.
func (id *ID) Disown(q verbs.QP) {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	if id.qp == q {
		id.qp = nil
	}
}

// Heard records that the peer of the identifier's queue pair has started to send; its RTU may be lost or late. It never
// waits for the manager's lock.
func (id *ID) Heard() { id.manager.inbox.put(arrival{heard: id}) }

// InitQPAttr returns the attributes that the manager would set.
func (id *ID) InitQPAttr(state verbs.QPState) (verbs.QPAttr, error) {
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

func (id *ID) qpAttr(state verbs.QPState) (verbs.QPAttr, error) {
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
	case c == nil || !c.is(StateREQReceived, StateREPReceived, StateREPSent, StateREPAcknowledged, StateEstablished):
		return attr, syscall.EINVAL
	case state == verbs.QPRTR:
		attr.Mask |= verbs.AttrAV | verbs.AttrPathMTU | verbs.AttrDestQPN | verbs.AttrRQPSN |
			verbs.AttrMaxDestRDAtomic | verbs.AttrMinRNRTimer
		attr.AH, attr.PathMTU, attr.DestQPNum = id.AddressVector(c.path.Dst.Addr()), c.mtu, verbs.QPN(c.remoteQPN)
		attr.RQPSN, attr.MaxDestRDAtomic = verbs.PSN(c.rqPSN), c.responder
		return attr, nil
	case state == verbs.QPRTS:
		attr.Mask |= verbs.AttrTimeout | verbs.AttrRetryCnt | verbs.AttrRNRRetry | verbs.AttrSQPSN |
			verbs.AttrMaxQPRDAtomic
		attr.Timeout, attr.RetryCnt, attr.RNRRetry = c.timeout, c.retryCount, c.rnrRetry
		attr.SQPSN, attr.MaxRDAtomic = verbs.PSN(c.sqPSN), c.initiator
		if id.ownTimeout {
			attr.Timeout = id.timeout
		}
		return attr, nil
	}
	return attr, syscall.EINVAL
}

func (id *ID) datagramAttr(attr *verbs.QPAttr) error {
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

// hopLimit is how many routers a packet may cross: Linux's value.
const hopLimit = 64

// AddressVector returns the address vector for an address.
func (id *ID) AddressVector(to netip.Addr) verbs.AHAttr {
	return verbs.AHAttr{
		IsGlobal: true, PortNum: 1,
		GRH: verbs.GlobalRoute{DGID: verbs.GIDFromAddr(to), SGIDIndex: id.sgid, HopLimit: hopLimit,
			TrafficClass: id.tos},
	}
}

// moveUp moves the identifier's queue pair, if any, from INIT to RTS. Its access rights are known only now.
func (id *ID) moveUp() error {
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

// toError moves the queue pair to ERR.
func (id *ID) toError() error {
	if id.qp == nil || id.datagrams() {
		return nil
	}
	return id.qp.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr})
}
