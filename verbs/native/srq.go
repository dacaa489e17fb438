package native

import "rdmatui/verbs"

// CreateSRQ implements verbs.PD.
func (p *protectionDomain) CreateSRQ(verbs.SRQSpec) (verbs.SRQ, error) {
	return nil, fail("ibv_create_srq", "", &verbs.UnsupportedError{Feature: "a shared receive queue"})
}
