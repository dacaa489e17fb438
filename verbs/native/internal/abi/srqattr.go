package abi

// SRQAttr mirrors struct ibv_srq_attr: requested in ibv_create_srq, which ignores
// srq_limit, and granted on return; a mask selects the fields in ibv_modify_srq.
type SRQAttr struct {
	MaxWR    uint32 `c:"max_wr"`
	MaxSGE   uint32 `c:"max_sge"`
	SRQLimit uint32 `c:"srq_limit"`
}

// SRQInitAttr mirrors struct ibv_srq_init_attr: the arguments of ibv_create_srq.
type SRQInitAttr struct {
	SRQContext uintptr `c:"srq_context"`
	Attr       SRQAttr `c:"attr"`
}
