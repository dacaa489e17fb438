package verbs

import "fmt"

// DeviceExField describes one field of DeviceAttrEx.
type DeviceExField struct {
	Name   string // C field path
	Unit   string
	Doc    string
	Format func(a *DeviceAttrEx) string
}

func exHex[T Integer](at func(*DeviceAttrEx) T) func(*DeviceAttrEx) string {
	return func(a *DeviceAttrEx) string { return fmt.Sprintf("0x%x", uint64(at(a))) }
}

func exCount[T Integer](at func(*DeviceAttrEx) T) func(*DeviceAttrEx) string {
	return func(a *DeviceAttrEx) string { return fmt.Sprint(uint64(at(a))) }
}

// DeviceExFields lists the fields that struct ibv_device_attr_ex adds, in its order.
var DeviceExFields = []DeviceExField{
	{"odp_caps.general_caps", "flags", "on-demand paging: 1 supported, 2 implicit", exHex(func(a *DeviceAttrEx) uint64 { return a.ODPCaps.GeneralCaps })},
	{"odp_caps.rc_odp_caps", "flags", "on-demand paging on RC: SEND RECV WRITE READ ATOMIC SRQ_RECV", exHex(func(a *DeviceAttrEx) uint32 { return a.ODPCaps.RCODPCaps })},
	{"odp_caps.uc_odp_caps", "flags", "on-demand paging on UC", exHex(func(a *DeviceAttrEx) uint32 { return a.ODPCaps.UCODPCaps })},
	{"odp_caps.ud_odp_caps", "flags", "on-demand paging on UD", exHex(func(a *DeviceAttrEx) uint32 { return a.ODPCaps.UDODPCaps })},
	{"completion_timestamp_mask", "", "valid bits of a completion's time stamp; 0 = none", exHex(func(a *DeviceAttrEx) uint64 { return a.CompletionTimestampMask })},
	{"hca_core_clock", "kHz", "clock of the time stamps", exCount(func(a *DeviceAttrEx) uint64 { return a.HCACoreClock })},
	{"device_cap_flags_ex", "flags", "device_cap_flags with their upper half", exHex(func(a *DeviceAttrEx) DeviceCap { return a.DeviceCapFlagsEx })},
	{"tso_caps.max_tso", "bytes", "largest segmentation offload", exCount(func(a *DeviceAttrEx) uint32 { return a.TSOCaps.MaxTSO })},
	{"tso_caps.supported_qpts", "flags", "queue pair types with segmentation offload", exHex(func(a *DeviceAttrEx) uint32 { return a.TSOCaps.SupportedQPTs })},
	{"rss_caps.supported_qpts", "flags", "queue pair types with receive side scaling", exHex(func(a *DeviceAttrEx) uint32 { return a.RSSCaps.SupportedQPTs })},
	{"rss_caps.max_rwq_indirection_tables", "", "indirection tables", exCount(func(a *DeviceAttrEx) uint32 { return a.RSSCaps.MaxRWQIndirectionTables })},
	{"rss_caps.max_rwq_indirection_table_size", "", "entries of one", exCount(func(a *DeviceAttrEx) uint32 { return a.RSSCaps.MaxRWQIndirectionTableSize })},
	{"rss_caps.rx_hash_fields_mask", "flags", "header fields that can be hashed", exHex(func(a *DeviceAttrEx) uint64 { return a.RSSCaps.RXHashFieldsMask })},
	{"rss_caps.rx_hash_function", "flags", "1 = Toeplitz", exHex(func(a *DeviceAttrEx) uint8 { return a.RSSCaps.RXHashFunction })},
	{"max_wq_type_rq", "", "receive work queues", exCount(func(a *DeviceAttrEx) uint32 { return a.MaxWQTypeRQ })},
	{"packet_pacing_caps.qp_rate_limit_min", "kbit/s", "lowest rate limit", exCount(func(a *DeviceAttrEx) uint32 { return a.PacketPacingCaps.QPRateLimitMin })},
	{"packet_pacing_caps.qp_rate_limit_max", "kbit/s", "highest rate limit", exCount(func(a *DeviceAttrEx) uint32 { return a.PacketPacingCaps.QPRateLimitMax })},
	{"packet_pacing_caps.supported_qpts", "flags", "queue pair types with rate limits", exHex(func(a *DeviceAttrEx) uint32 { return a.PacketPacingCaps.SupportedQPTs })},
	{"raw_packet_caps", "flags", "1 VLAN stripping, 2 scatter FCS, 4 IP checksum, 8 delay drop", exHex(func(a *DeviceAttrEx) uint32 { return a.RawPacketCaps })},
	{"tm_caps.max_rndv_hdr_size", "bytes", "tag matching: rendezvous header", exCount(func(a *DeviceAttrEx) uint32 { return a.TMCaps.MaxRndvHdrSize })},
	{"tm_caps.max_num_tags", "", "tag matching: buffers in a list", exCount(func(a *DeviceAttrEx) uint32 { return a.TMCaps.MaxNumTags })},
	{"tm_caps.flags", "flags", "tag matching: 1 = RC", exHex(func(a *DeviceAttrEx) uint32 { return a.TMCaps.Flags })},
	{"tm_caps.max_ops", "", "tag matching: list operations at once", exCount(func(a *DeviceAttrEx) uint32 { return a.TMCaps.MaxOps })},
	{"tm_caps.max_sge", "", "tag matching: elements of a buffer", exCount(func(a *DeviceAttrEx) uint32 { return a.TMCaps.MaxSGE })},
	{"cq_mod_caps.max_cq_count", "", "completions that one event may stand for", exCount(func(a *DeviceAttrEx) uint16 { return a.CQModCaps.MaxCQCount })},
	{"cq_mod_caps.max_cq_period", "µs", "longest delay of an event", exCount(func(a *DeviceAttrEx) uint16 { return a.CQModCaps.MaxCQPeriod })},
	{"max_dm_size", "bytes", "device memory", exCount(func(a *DeviceAttrEx) uint64 { return a.MaxDMSize })},
	{"pci_atomic_caps.fetch_add", "flags", "PCI fetch-and-add: 1, 2, 4 for 4, 8, 16 bytes", exHex(func(a *DeviceAttrEx) uint16 { return a.PCIAtomicCaps.FetchAdd })},
	{"pci_atomic_caps.swap", "flags", "PCI swap", exHex(func(a *DeviceAttrEx) uint16 { return a.PCIAtomicCaps.Swap })},
	{"pci_atomic_caps.compare_swap", "flags", "PCI compare-and-swap", exHex(func(a *DeviceAttrEx) uint16 { return a.PCIAtomicCaps.CompareSwap })},
	{"xrc_odp_caps", "flags", "on-demand paging on XRC", exHex(func(a *DeviceAttrEx) uint32 { return a.XRCODPCaps })},
	{"phys_port_cnt_ex", "", "ports, where 8 bits do not suffice", exCount(func(a *DeviceAttrEx) uint32 { return a.PhysPortCntEx })},
}
