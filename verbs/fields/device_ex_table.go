package fields

import (
	"fmt"

	"rdmatui/verbs"
)

// DeviceExField describes one field of DeviceAttrEx.
type DeviceExField struct {
	Name   string // C field path
	Unit   string
	Format func(a *verbs.DeviceAttrEx) string
}

func exHex[T verbs.Integer](at func(*verbs.DeviceAttrEx) T) func(*verbs.DeviceAttrEx) string {
	return func(a *verbs.DeviceAttrEx) string { return fmt.Sprintf("0x%x", uint64(at(a))) }
}

func exCount[T verbs.Integer](at func(*verbs.DeviceAttrEx) T) func(*verbs.DeviceAttrEx) string {
	return func(a *verbs.DeviceAttrEx) string { return fmt.Sprint(uint64(at(a))) }
}

// DeviceEx lists the fields that struct ibv_device_attr_ex adds, in its order.
var DeviceEx = []DeviceExField{
	{"odp_caps.general_caps", "flags", exHex(func(a *verbs.DeviceAttrEx) uint64 { return a.ODPCaps.GeneralCaps })},
	{"odp_caps.rc_odp_caps", "flags", exHex(func(a *verbs.DeviceAttrEx) uint32 { return a.ODPCaps.RCODPCaps })},
	{"odp_caps.uc_odp_caps", "flags", exHex(func(a *verbs.DeviceAttrEx) uint32 { return a.ODPCaps.UCODPCaps })},
	{"odp_caps.ud_odp_caps", "flags", exHex(func(a *verbs.DeviceAttrEx) uint32 { return a.ODPCaps.UDODPCaps })},
	{"completion_timestamp_mask", "", exHex(func(a *verbs.DeviceAttrEx) uint64 { return a.CompletionTimestampMask })},
	{"hca_core_clock", "kHz", exCount(func(a *verbs.DeviceAttrEx) uint64 { return a.HCACoreClock })},
	{"device_cap_flags_ex", "flags", exHex(func(a *verbs.DeviceAttrEx) verbs.DeviceCap { return a.DeviceCapFlagsEx })},
	{"tso_caps.max_tso", "bytes", exCount(func(a *verbs.DeviceAttrEx) uint32 { return a.TSOCaps.MaxTSO })},
	{"tso_caps.supported_qpts", "flags", exHex(func(a *verbs.DeviceAttrEx) uint32 { return a.TSOCaps.SupportedQPTs })},
	{"rss_caps.supported_qpts", "flags", exHex(func(a *verbs.DeviceAttrEx) uint32 { return a.RSSCaps.SupportedQPTs })},
	{"rss_caps.max_rwq_indirection_tables", "", exCount(func(a *verbs.DeviceAttrEx) uint32 {
		return a.RSSCaps.MaxRWQIndirectionTables
	})},
	{"rss_caps.max_rwq_indirection_table_size", "", exCount(func(a *verbs.DeviceAttrEx) uint32 {
		return a.RSSCaps.MaxRWQIndirectionTableSize
	})},
	{"rss_caps.rx_hash_fields_mask", "flags", exHex(func(a *verbs.DeviceAttrEx) uint64 {
		return a.RSSCaps.RXHashFieldsMask
	})},
	{"rss_caps.rx_hash_function", "flags", exHex(func(a *verbs.DeviceAttrEx) uint8 {
		return a.RSSCaps.RXHashFunction
	})},
	{"max_wq_type_rq", "", exCount(func(a *verbs.DeviceAttrEx) uint32 { return a.MaxWQTypeRQ })},
	{"packet_pacing_caps.qp_rate_limit_min", "kbit/s", exCount(func(a *verbs.DeviceAttrEx) uint32 {
		return a.PacketPacingCaps.QPRateLimitMin
	})},
	{"packet_pacing_caps.qp_rate_limit_max", "kbit/s", exCount(func(a *verbs.DeviceAttrEx) uint32 {
		return a.PacketPacingCaps.QPRateLimitMax
	})},
	{"packet_pacing_caps.supported_qpts", "flags", exHex(func(a *verbs.DeviceAttrEx) uint32 {
		return a.PacketPacingCaps.SupportedQPTs
	})},
	{"raw_packet_caps", "flags", exHex(func(a *verbs.DeviceAttrEx) uint32 { return a.RawPacketCaps })},
	{"tm_caps.max_rndv_hdr_size", "bytes", exCount(func(a *verbs.DeviceAttrEx) uint32 {
		return a.TMCaps.MaxRndvHdrSize
	})},
	{"tm_caps.max_num_tags", "", exCount(func(a *verbs.DeviceAttrEx) uint32 { return a.TMCaps.MaxNumTags })},
	{"tm_caps.flags", "flags", exHex(func(a *verbs.DeviceAttrEx) uint32 { return a.TMCaps.Flags })},
	{"tm_caps.max_ops", "", exCount(func(a *verbs.DeviceAttrEx) uint32 { return a.TMCaps.MaxOps })},
	{"tm_caps.max_sge", "", exCount(func(a *verbs.DeviceAttrEx) uint32 { return a.TMCaps.MaxSGE })},
	{"cq_mod_caps.max_cq_count", "", exCount(func(a *verbs.DeviceAttrEx) uint16 { return a.CQModCaps.MaxCQCount })},
	{"cq_mod_caps.max_cq_period", "µs", exCount(func(a *verbs.DeviceAttrEx) uint16 { return a.CQModCaps.MaxCQPeriod })},
	{"max_dm_size", "bytes", exCount(func(a *verbs.DeviceAttrEx) uint64 { return a.MaxDMSize })},
	{"pci_atomic_caps.fetch_add", "flags", exHex(func(a *verbs.DeviceAttrEx) uint16 {
		return a.PCIAtomicCaps.FetchAdd
	})},
	{"pci_atomic_caps.swap", "flags", exHex(func(a *verbs.DeviceAttrEx) uint16 { return a.PCIAtomicCaps.Swap })},
	{"pci_atomic_caps.compare_swap", "flags", exHex(func(a *verbs.DeviceAttrEx) uint16 {
		return a.PCIAtomicCaps.CompareSwap
	})},
	{"xrc_odp_caps", "flags", exHex(func(a *verbs.DeviceAttrEx) uint32 { return a.XRCODPCaps })},
	{"phys_port_cnt_ex", "", exCount(func(a *verbs.DeviceAttrEx) uint32 { return a.PhysPortCntEx })},
}
