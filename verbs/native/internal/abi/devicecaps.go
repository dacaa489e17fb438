package abi

// ODPCaps mirrors struct ibv_odp_caps: on-demand paging, in general (IBV_ODP_SUPPORT*)
// and by transport (IBV_ODP_SUPPORT_SEND and so on).
type ODPCaps struct {
	GeneralCaps uint64 `c:"general_caps"`
	RCODPCaps   uint32 `c:"per_transport_caps.rc_odp_caps"`
	UCODPCaps   uint32 `c:"per_transport_caps.uc_odp_caps"`
	UDODPCaps   uint32 `c:"per_transport_caps.ud_odp_caps"`
	_           uint32
}

// TSOCaps mirrors struct ibv_tso_caps: segmentation offload of raw packets. SupportedQPTs
// has bit 1<<qp_type set for each QP type.
type TSOCaps struct {
	MaxTSO        uint32 `c:"max_tso"`
	SupportedQPTs uint32 `c:"supported_qpts"`
}

// RSSCaps mirrors struct ibv_rss_caps: receive side scaling.
type RSSCaps struct {
	SupportedQPTs              uint32 `c:"supported_qpts"`
	MaxRWQIndirectionTables    uint32 `c:"max_rwq_indirection_tables"`
	MaxRWQIndirectionTableSize uint32 `c:"max_rwq_indirection_table_size"`
	RxHashFieldsMask           uint64 `c:"rx_hash_fields_mask"`
	RxHashFunction             uint8  `c:"rx_hash_function"`
}

// PacketPacingCaps mirrors struct ibv_packet_pacing_caps: rate limits in kbit/s.
type PacketPacingCaps struct {
	QPRateLimitMin uint32 `c:"qp_rate_limit_min"`
	QPRateLimitMax uint32 `c:"qp_rate_limit_max"`
	SupportedQPTs  uint32 `c:"supported_qpts"`
}

// TMCaps mirrors struct ibv_tm_caps: tag matching.
type TMCaps struct {
	MaxRndvHdrSize uint32 `c:"max_rndv_hdr_size"`
	MaxNumTags     uint32 `c:"max_num_tags"`
	Flags          uint32 `c:"flags"`
	MaxOps         uint32 `c:"max_ops"`
	MaxSGE         uint32 `c:"max_sge"`
}

// CQModerationCaps mirrors struct ibv_cq_moderation_caps: the maximum number of completions and
// microseconds that may be collected before an event.
type CQModerationCaps struct {
	MaxCQCount  uint16 `c:"max_cq_count"`
	MaxCQPeriod uint16 `c:"max_cq_period"`
}

// PCIAtomicCaps mirrors struct ibv_pci_atomic_caps: operand sizes of PCI atomics
// (IBV_PCI_ATOMIC_OPERATION_*).
type PCIAtomicCaps struct {
	FetchAdd    uint16 `c:"fetch_add"`
	Swap        uint16 `c:"swap"`
	CompareSwap uint16 `c:"compare_swap"`
}
