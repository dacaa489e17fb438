package soft

import "rdmatui/verbs"

// AllocMW implements verbs.PD.
func (p *pd) AllocMW(verbs.MWType) (verbs.MW, error) {
	return nil, &verbs.UnsupportedError{Feature: "ibv_alloc_mw"}
}

// BindMW implements verbs.QP.
func (q *qp) BindMW(verbs.MW, uint64, verbs.SendFlags, verbs.MWBinding) error {
	return &verbs.UnsupportedError{Feature: "ibv_bind_mw"}
}

// Rereg implements verbs.MR.
func (m *mr) Rereg(verbs.MRChange) error {
	return &verbs.UnsupportedError{Feature: "ibv_rereg_mr"}
}
