package abi

// PortAttr mirrors struct ibv_port_attr: the attributes of a port, in the form that the
// query_port slot fills. The exported function ibv_query_port fills a shorter one
// that ends before PortCapFlags2.
type PortAttr struct {
	State         uint32 `c:"state"`
	MaxMTU        uint32 `c:"max_mtu"`
	ActiveMTU     uint32 `c:"active_mtu"`
	GIDTblLen     int32  `c:"gid_tbl_len"`
	PortCapFlags  uint32 `c:"port_cap_flags"`
	MaxMsgSz      uint32 `c:"max_msg_sz"`
	BadPKeyCntr   uint32 `c:"bad_pkey_cntr"`
	QKeyViolCntr  uint32 `c:"qkey_viol_cntr"`
	PKeyTblLen    uint16 `c:"pkey_tbl_len"`
	LID           uint16 `c:"lid"`
	SMLID         uint16 `c:"sm_lid"`
	LMC           uint8  `c:"lmc"`
	MaxVLNum      uint8  `c:"max_vl_num"`
	SMSL          uint8  `c:"sm_sl"`
	SubnetTimeout uint8  `c:"subnet_timeout"`
	InitTypeReply uint8  `c:"init_type_reply"`
	ActiveWidth   uint8  `c:"active_width"`
	ActiveSpeed   uint8  `c:"active_speed"`
	PhysState     uint8  `c:"phys_state"`
	LinkLayer     uint8  `c:"link_layer"`
	Flags         uint8  `c:"flags"`
	PortCapFlags2 uint16 `c:"port_cap_flags2"`
}

// PortAttrEx is [PortAttr] with the member that libraries newer than 44 append. Passing
// its size to an older library is safe: the library clears the whole length and fills
// the fields that it knows.
type PortAttrEx struct {
	PortAttr
	// ActiveSpeedEx is the speed mask if it does not fit ActiveSpeed; 0 means that
	// ActiveSpeed is valid.
	ActiveSpeedEx uint32
}
