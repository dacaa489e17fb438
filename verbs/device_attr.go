package verbs

// AtomicCap is the scope in which a device's atomics are atomic; IBA 11.2.1.2.
type AtomicCap uint32

// AtomicCaps names the values of enum ibv_atomic_cap: not supported; among the QPs of this device;
// also with accesses by the CPU and other devices.
var AtomicCaps = Enum[AtomicCap]{"atomic_cap", "IBV_ATOMIC_", map[AtomicCap]string{0: "NONE", 1: "HCA", 2: "GLOB"}}

// String returns the C name without its prefix; "unknown(n)" if it has no name.
func (c AtomicCap) String() string { return AtomicCaps.Name(c) }

// MarshalText is String, for JSON.
func (c AtomicCap) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// DeviceCap is the word device_cap_flags, and with its upper half
// device_cap_flags_ex.
type DeviceCap uint64

// DeviceCaps names the device capability flags.
var DeviceCaps = Flags[DeviceCap]{"device_cap_flags", "IBV_DEVICE_", map[int]string{
	0: "RESIZE_MAX_WR", 1: "BAD_PKEY_CNTR", 2: "BAD_QKEY_CNTR", 3: "RAW_MULTI", 4: "AUTO_PATH_MIG",
	5: "CHANGE_PHY_PORT", 6: "UD_AV_PORT_ENFORCE", 7: "CURR_QP_STATE_MOD", 8: "SHUTDOWN_PORT",
	9: "INIT_TYPE", 10: "PORT_ACTIVE_EVENT", 11: "SYS_IMAGE_GUID", 12: "RC_RNR_NAK_GEN",
	13: "SRQ_RESIZE", 14: "N_NOTIFY_CQ", 17: "MEM_WINDOW", 18: "UD_IP_CSUM", 20: "XRC",
	21: "MEM_MGT_EXTENSIONS", 23: "MEM_WINDOW_TYPE_2A", 24: "MEM_WINDOW_TYPE_2B", 25: "RC_IP_CSUM",
	26: "RAW_IP_CSUM", 29: "MANAGED_FLOW_STEERING", 34: "RAW_SCATTER_FCS", 36: "PCI_WRITE_END_PADDING",
	38: "FLUSH_GLOBAL", 39: "FLUSH_PERSISTENT", 40: "ATOMIC_WRITE",
}}

// Device capability flags that rdmatui asks for or sets by name; [DeviceCaps] names them all.
const (
	CapCurrQPStateMod   DeviceCap = 1 << 7
	CapSysImageGUID     DeviceCap = 1 << 11
	CapRNRNAKGen        DeviceCap = 1 << 12
	CapSRQResize        DeviceCap = 1 << 13
	CapMemWindow        DeviceCap = 1 << 17
	CapMemMgtExtensions DeviceCap = 1 << 21
	CapMemWindowType2A  DeviceCap = 1 << 23
	CapMemWindowType2B  DeviceCap = 1 << 24
	CapFlushGlobal      DeviceCap = 1 << 38 // from here on in device_cap_flags_ex only
	CapAtomicWrite      DeviceCap = 1 << 40
)

// DeviceAttr holds a device's limits and capabilities; struct ibv_device_attr, all 40 fields in its
// order. ibv_query_device(3). Package fields describes them.
type DeviceAttr struct {
	FWVer                 string    `json:"fw_ver"`
	NodeGUID              GUID      `json:"node_guid"`
	SysImageGUID          GUID      `json:"sys_image_guid"`
	MaxMRSize             uint64    `json:"max_mr_size"`
	PageSizeCap           uint64    `json:"page_size_cap"`
	VendorID              uint32    `json:"vendor_id"`
	VendorPartID          uint32    `json:"vendor_part_id"`
	HWVer                 uint32    `json:"hw_ver"`
	MaxQP                 int32     `json:"max_qp"`
	MaxQPWR               int32     `json:"max_qp_wr"`
	DeviceCapFlags        uint32    `json:"device_cap_flags"`
	MaxSGE                int32     `json:"max_sge"`
	MaxSGERD              int32     `json:"max_sge_rd"`
	MaxCQ                 int32     `json:"max_cq"`
	MaxCQE                int32     `json:"max_cqe"`
	MaxMR                 int32     `json:"max_mr"`
	MaxPD                 int32     `json:"max_pd"`
	MaxQPRDAtom           int32     `json:"max_qp_rd_atom"`
	MaxEERDAtom           int32     `json:"max_ee_rd_atom"`
	MaxResRDAtom          int32     `json:"max_res_rd_atom"`
	MaxQPInitRDAtom       int32     `json:"max_qp_init_rd_atom"`
	MaxEEInitRDAtom       int32     `json:"max_ee_init_rd_atom"`
	AtomicCap             AtomicCap `json:"atomic_cap"`
	MaxEE                 int32     `json:"max_ee"`
	MaxRDD                int32     `json:"max_rdd"`
	MaxMW                 int32     `json:"max_mw"`
	MaxRawIPv6QP          int32     `json:"max_raw_ipv6_qp"`
	MaxRawEthyQP          int32     `json:"max_raw_ethy_qp"`
	MaxMcastGrp           int32     `json:"max_mcast_grp"`
	MaxMcastQPAttach      int32     `json:"max_mcast_qp_attach"`
	MaxTotalMcastQPAttach int32     `json:"max_total_mcast_qp_attach"`
	MaxAH                 int32     `json:"max_ah"`
	MaxFMR                int32     `json:"max_fmr"`
	MaxMapPerFMR          int32     `json:"max_map_per_fmr"`
	MaxSRQ                int32     `json:"max_srq"`
	MaxSRQWR              int32     `json:"max_srq_wr"`
	MaxSRQSGE             int32     `json:"max_srq_sge"`
	MaxPKeys              uint16    `json:"max_pkeys"`
	LocalCAAckDelay       uint8     `json:"local_ca_ack_delay"`
	PhysPortCnt           uint8     `json:"phys_port_cnt"`
}

// DeviceAttrEx holds the extended attributes; struct ibv_device_attr_ex without its orig_attr.
// ibv_query_device_ex(3).
type DeviceAttrEx struct {
	ODPCaps                 ODPCaps          `json:"odp_caps"`
	CompletionTimestampMask uint64           `json:"completion_timestamp_mask"` // 0 = no time stamps
	HCACoreClock            uint64           `json:"hca_core_clock"`            // kHz
	DeviceCapFlagsEx        DeviceCap        `json:"device_cap_flags_ex"`
	TSOCaps                 TSOCaps          `json:"tso_caps"`
	RSSCaps                 RSSCaps          `json:"rss_caps"`
	MaxWQTypeRQ             uint32           `json:"max_wq_type_rq"`
	PacketPacingCaps        PacketPacingCaps `json:"packet_pacing_caps"`
	RawPacketCaps           uint32           `json:"raw_packet_caps"`
	TMCaps                  TMCaps           `json:"tm_caps"`
	CQModCaps               CQModCaps        `json:"cq_mod_caps"`
	MaxDMSize               uint64           `json:"max_dm_size"` // bytes of device memory
	PCIAtomicCaps           PCIAtomicCaps    `json:"pci_atomic_caps"`
	XRCODPCaps              uint32           `json:"xrc_odp_caps"`
	PhysPortCntEx           uint32           `json:"phys_port_cnt_ex"` // number of ports, if it exceeds 8 bits
}

// ODPCaps describes on-demand paging support; struct ibv_odp_caps.
type ODPCaps struct {
	GeneralCaps uint64 `json:"general_caps"`
	RCODPCaps   uint32 `json:"rc_odp_caps"`
	UCODPCaps   uint32 `json:"uc_odp_caps"`
	UDODPCaps   uint32 `json:"ud_odp_caps"`
}

// Bits of general_caps; enum ibv_odp_general_caps.
const (
	ODPSupport  = 1 << 0
	ODPImplicit = 1 << 1 // one region may cover the whole address space
)

// Bits of a transport's capabilities: the operations that support on-demand paging; enum
// ibv_odp_transport_cap_bits.
const (
	ODPSend        = 1 << 0
	ODPRecv        = 1 << 1
	ODPWrite       = 1 << 2
	ODPRead        = 1 << 3
	ODPAtomic      = 1 << 4
	ODPSRQRecv     = 1 << 5
	ODPFlush       = 1 << 6
	ODPAtomicWrite = 1 << 7
)

// TSOCaps describes TCP segmentation offload; struct ibv_tso_caps.
type TSOCaps struct {
	MaxTSO        uint32 `json:"max_tso"`
	SupportedQPTs uint32 `json:"supported_qpts"`
}

// RSSCaps describes receive side scaling; struct ibv_rss_caps.
type RSSCaps struct {
	SupportedQPTs              uint32 `json:"supported_qpts"`
	MaxRWQIndirectionTables    uint32 `json:"max_rwq_indirection_tables"`
	MaxRWQIndirectionTableSize uint32 `json:"max_rwq_indirection_table_size"`
	RXHashFieldsMask           uint64 `json:"rx_hash_fields_mask"`
	RXHashFunction             uint8  `json:"rx_hash_function"`
}

// PacketPacingCaps describes rate limiting; struct ibv_packet_pacing_caps, in kbit/s.
type PacketPacingCaps struct {
	QPRateLimitMin uint32 `json:"qp_rate_limit_min"`
	QPRateLimitMax uint32 `json:"qp_rate_limit_max"`
	SupportedQPTs  uint32 `json:"supported_qpts"`
}

// TMCaps describes tag matching; struct ibv_tm_caps.
type TMCaps struct {
	MaxRndvHdrSize uint32 `json:"max_rndv_hdr_size"`
	MaxNumTags     uint32 `json:"max_num_tags"`
	Flags          uint32 `json:"flags"`
	MaxOps         uint32 `json:"max_ops"`
	MaxSGE         uint32 `json:"max_sge"`
}

// CQModCaps describes completion moderation; struct ibv_cq_moderation_caps.
type CQModCaps struct {
	MaxCQCount  uint16 `json:"max_cq_count"`
	MaxCQPeriod uint16 `json:"max_cq_period"` // µs
}

// PCIAtomicCaps holds the operand sizes of PCI atomics; struct ibv_pci_atomic_caps.
type PCIAtomicCaps struct {
	FetchAdd    uint16 `json:"fetch_add"`
	Swap        uint16 `json:"swap"`
	CompareSwap uint16 `json:"compare_swap"`
}
