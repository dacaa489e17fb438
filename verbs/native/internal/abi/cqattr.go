package abi

// ModerateCQ mirrors struct ibv_moderate_cq.
type ModerateCQ struct {
	Count  uint16 `c:"cq_count"`
	Period uint16 `c:"cq_period"`
}

// ModifyCQAttr mirrors struct ibv_modify_cq_attr: the arguments of ibv_modify_cq.
type ModifyCQAttr struct {
	AttrMask uint32     `c:"attr_mask"`
	Moderate ModerateCQ `c:"moderate"`
}

// CQAttrModerate is IBV_CQ_ATTR_MODERATE.
const CQAttrModerate = 1
