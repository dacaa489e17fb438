package sessiontest

import (
	"slices"
	"syscall"

	"rdmatui/verbs"
)

// fakeSRQ accepts as many requests as its size allows.
type fakeSRQ struct {
	fakeObject
	Attr  verbs.SRQAttr
	Recvs []verbs.RecvWR
}

// CreateSRQ implements verbs.PD.
func (p *fakePD) CreateSRQ(spec verbs.SRQSpec) (verbs.SRQ, error) {
	if err := p.f.Fail["srq"]; err != nil {
		return nil, verbs.NewOpError("ibv_create_srq", "", err)
	}
	q := &fakeSRQ{fakeObject: p.object("srq"), Attr: verbs.SRQAttr{MaxWR: spec.MaxWR, MaxSGE: spec.MaxSGE}}
	p.f.Srqs = append(p.f.Srqs, q)
	return q, nil
}

// Modify implements verbs.SRQ.
func (q *fakeSRQ) Modify(a verbs.SRQAttr) error {
	if err := q.f.Fail["modify_srq"]; err != nil {
		return verbs.NewOpError("ibv_modify_srq", "", err)
	}
	if a.Mask&verbs.SRQLimit != 0 {
		q.Attr.Limit = a.Limit
	}
	if a.Mask&verbs.SRQMaxWR != 0 {
		q.Attr.MaxWR = a.MaxWR
	}
	return nil
}

// Query implements verbs.SRQ.
func (q *fakeSRQ) Query() (verbs.SRQAttr, error) { return q.Attr, q.f.Fail["query_srq"] }

// PostRecv implements verbs.SRQ.
func (q *fakeSRQ) PostRecv(wrs ...verbs.RecvWR) (int, error) {
	if err := q.f.Fail["post_srq_recv"]; err != nil {
		return 0, err
	}
	n := min(len(wrs), int(q.Attr.MaxWR)-len(q.Recvs))
	q.Recvs = append(q.Recvs, wrs[:n]...)
	if n < len(wrs) {
		return n, verbs.NewOpError("ibv_post_srq_recv", "", syscall.ENOMEM)
	}
	return n, nil
}

// AttachMcast implements verbs.QP.
func (q *fakeQP) AttachMcast(gid verbs.GID, _ uint16) error {
	if q.Spec.QPType != verbs.UD {
		return verbs.NewOpError("ibv_attach_mcast", "", syscall.EINVAL)
	}
	q.Groups = append(q.Groups, gid)
	return nil
}

// DetachMcast implements verbs.QP.
func (q *fakeQP) DetachMcast(gid verbs.GID, _ uint16) error {
	i := slices.Index(q.Groups, gid)
	if i < 0 {
		return verbs.NewOpError("ibv_detach_mcast", "", syscall.EINVAL)
	}
	q.Groups = slices.Delete(q.Groups, i, i+1)
	return nil
}

// Close fails while the queue pair is in a group, as on real devices.
func (q *fakeQP) Close() error {
	if len(q.Groups) > 0 {
		return verbs.NewOpError("ibv_destroy_qp", "", syscall.EBUSY)
	}
	return q.fakeObject.Close()
}

// AllocMW implements verbs.PD.
func (p *fakePD) AllocMW(verbs.MWType) (verbs.MW, error) {
	return nil, &verbs.UnsupportedError{Feature: "a memory window"}
}

// BindMW implements verbs.QP.
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
