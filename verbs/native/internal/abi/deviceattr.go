package abi

// DeviceAttr mirrors struct ibv_device_attr: a device's limits and capabilities. The GUIDs are in
// network byte order; FWVer ends with a NUL.
type DeviceAttr struct {
	FWVer                 [64]byte `c:"fw_ver"`
	NodeGUID              [8]byte  `c:"node_guid"`
	SysImageGUID          [8]byte  `c:"sys_image_guid"`
	MaxMRSize             uint64   `c:"max_mr_size"`
	PageSizeCap           uint64   `c:"page_size_cap"`
	VendorID              uint32   `c:"vendor_id"`
	VendorPartID          uint32   `c:"vendor_part_id"`
	HWVer                 uint32   `c:"hw_ver"`
	MaxQP                 int32    `c:"max_qp"`
	MaxQPWR               int32    `c:"max_qp_wr"`
	DeviceCapFlags        uint32   `c:"device_cap_flags"`
	MaxSGE                int32    `c:"max_sge"`
	MaxSGERd              int32    `c:"max_sge_rd"`
	MaxCQ                 int32    `c:"max_cq"`
	MaxCQE                int32    `c:"max_cqe"`
	MaxMR                 int32    `c:"max_mr"`
	MaxPD                 int32    `c:"max_pd"`
	MaxQPRdAtom           int32    `c:"max_qp_rd_atom"`
	MaxEERdAtom           int32    `c:"max_ee_rd_atom"`
	MaxResRdAtom          int32    `c:"max_res_rd_atom"`
	MaxQPInitRdAtom       int32    `c:"max_qp_init_rd_atom"`
	MaxEEInitRdAtom       int32    `c:"max_ee_init_rd_atom"`
	AtomicCap             uint32   `c:"atomic_cap"`
	MaxEE                 int32    `c:"max_ee"`
	MaxRDD                int32    `c:"max_rdd"`
	MaxMW                 int32    `c:"max_mw"`
	MaxRawIPv6QP          int32    `c:"max_raw_ipv6_qp"`
	MaxRawEthyQP          int32    `c:"max_raw_ethy_qp"`
	MaxMcastGrp           int32    `c:"max_mcast_grp"`
	MaxMcastQPAttach      int32    `c:"max_mcast_qp_attach"`
	MaxTotalMcastQPAttach int32    `c:"max_total_mcast_qp_attach"`
	MaxAH                 int32    `c:"max_ah"`
	MaxFMR                int32    `c:"max_fmr"`
	MaxMapPerFMR          int32    `c:"max_map_per_fmr"`
	MaxSRQ                int32    `c:"max_srq"`
	MaxSRQWR              int32    `c:"max_srq_wr"`
	MaxSRQSGE             int32    `c:"max_srq_sge"`
	MaxPKeys              uint16   `c:"max_pkeys"`
	LocalCAAckDelay       uint8    `c:"local_ca_ack_delay"`
	PhysPortCnt           uint8    `c:"phys_port_cnt"`
}

// DeviceAttrEx mirrors struct ibv_device_attr_ex: the extended attributes, which start with the
// plain ones.
type DeviceAttrEx struct {
	OrigAttr                DeviceAttr       `c:"orig_attr"`
	CompMask                uint32           `c:"comp_mask"`
	ODPCaps                 ODPCaps          `c:"odp_caps"`
	CompletionTimestampMask uint64           `c:"completion_timestamp_mask"`
	HCACoreClock            uint64           `c:"hca_core_clock"`
	DeviceCapFlagsEx        uint64           `c:"device_cap_flags_ex"`
	TSOCaps                 TSOCaps          `c:"tso_caps"`
	RSSCaps                 RSSCaps          `c:"rss_caps"`
	MaxWQTypeRQ             uint32           `c:"max_wq_type_rq"`
	PacketPacingCaps        PacketPacingCaps `c:"packet_pacing_caps"`
	RawPacketCaps           uint32           `c:"raw_packet_caps"`
	TMCaps                  TMCaps           `c:"tm_caps"`
	CQModCaps               CQModerationCaps `c:"cq_mod_caps"`
	MaxDMSize               uint64           `c:"max_dm_size"`
	PCIAtomicCaps           PCIAtomicCaps    `c:"pci_atomic_caps"`
	XRCODPCaps              uint32           `c:"xrc_odp_caps"`
	PhysPortCntEx           uint32           `c:"phys_port_cnt_ex"`
}

// QueryDeviceExInput mirrors struct ibv_query_device_ex_input: comp_mask must be 0.
type QueryDeviceExInput struct {
	CompMask uint32 `c:"comp_mask"`
}
