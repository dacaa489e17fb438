package session

import (
	"slices"
	"syscall"

	"rdmatui/verbs"
)

// fakeSRQ accepts as many requests as its size allows.
type fakeSRQ struct {
	fakeObject
	attr  verbs.SRQAttr
	recvs []verbs.RecvWR
}

func (p *fakePD) CreateSRQ(spec verbs.SRQSpec) (verbs.SRQ, error) {
	if err := p.f.fail["srq"]; err != nil {
		return nil, verbs.NewOpError("ibv_create_srq", "", err)
	}
	q := &fakeSRQ{fakeObject: p.f.object("srq"), attr: verbs.SRQAttr{MaxWR: spec.MaxWR, MaxSGE: spec.MaxSGE}}
	p.f.srqs = append(p.f.srqs, q)
	return q, nil
}

func (q *fakeSRQ) Modify(a verbs.SRQAttr) error {
	if err := q.f.fail["modify_srq"]; err != nil {
		return verbs.NewOpError("ibv_modify_srq", "", err)
	}
	if a.Mask&verbs.SRQLimit != 0 {
		q.attr.Limit = a.Limit
	}
	if a.Mask&verbs.SRQMaxWR != 0 {
		q.attr.MaxWR = a.MaxWR
	}
	return nil
}

func (q *fakeSRQ) Query() (verbs.SRQAttr, error) { return q.attr, q.f.fail["query_srq"] }

func (q *fakeSRQ) PostRecv(wrs ...verbs.RecvWR) (int, error) {
	if err := q.f.fail["post_srq_recv"]; err != nil {
		return 0, err
	}
	n := min(len(wrs), int(q.attr.MaxWR)-len(q.recvs))
	q.recvs = append(q.recvs, wrs[:n]...)
	if n < len(wrs) {
		return n, verbs.NewOpError("ibv_post_srq_recv", "", syscall.ENOMEM)
	}
	return n, nil
}

func (q *fakeQP) AttachMcast(gid verbs.GID, _ uint16) error {
	if q.spec.QPType != verbs.UD {
		return verbs.NewOpError("ibv_attach_mcast", "", syscall.EINVAL)
	}
	q.groups = append(q.groups, gid)
	return nil
}

func (q *fakeQP) DetachMcast(gid verbs.GID, _ uint16) error {
	i := slices.Index(q.groups, gid)
	if i < 0 {
		return verbs.NewOpError("ibv_detach_mcast", "", syscall.EINVAL)
	}
	q.groups = slices.Delete(q.groups, i, i+1)
	return nil
}

// Close fails while the queue pair is in a group, as on real devices.
func (q *fakeQP) Close() error {
	if len(q.groups) > 0 {
		return verbs.NewOpError("ibv_destroy_qp", "", syscall.EBUSY)
	}
	return q.fakeObject.Close()
}

func (p *fakePD) AllocMW(verbs.MWType) (verbs.MW, error) {
	return nil, &verbs.UnsupportedError{Feature: "a memory window"}
}

func (q *fakeQP) BindMW(verbs.MW, uint64, verbs.SendFlags, verbs.MWBinding) error {
	return &verbs.UnsupportedError{Feature: "a memory window"}
}

// Rereg changes the rights of a region, which keeps its keys.
func (m *fakeMR) Rereg(c verbs.MRChange) error {
	if c.Flags != verbs.ReregAccess {
		return &verbs.UnsupportedError{Feature: "ibv_rereg_mr"}
	}
	m.spec.Access = c.Access
	return nil
}
