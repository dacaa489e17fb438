package abi

// GlobalRoute mirrors struct ibv_global_route: the GRH fields of an address.
type GlobalRoute struct {
	DGID         GID    `c:"dgid"`
	FlowLabel    uint32 `c:"flow_label"`
	SGIDIndex    uint8  `c:"sgid_index"`
	HopLimit     uint8  `c:"hop_limit"`
	TrafficClass uint8  `c:"traffic_class"`
}

// AHAttr mirrors struct ibv_ah_attr: an address vector.
type AHAttr struct {
	GRH         GlobalRoute `c:"grh"`
	DLID        uint16      `c:"dlid"`
	SL          uint8       `c:"sl"`
	SrcPathBits uint8       `c:"src_path_bits"`
	StaticRate  uint8       `c:"static_rate"`
	IsGlobal    uint8       `c:"is_global"`
	PortNum     uint8       `c:"port_num"`
}

// GRH mirrors struct ibv_grh: the 40 bytes in front of a UD message. All
// numbers are in network byte order.
type GRH struct {
	VersionTclassFlow [4]byte `c:"version_tclass_flow"`
	Paylen            [2]byte `c:"paylen"`
	NextHdr           uint8   `c:"next_hdr"`
	HopLimit          uint8   `c:"hop_limit"`
	SGID              GID     `c:"sgid"`
	DGID              GID     `c:"dgid"`
}
