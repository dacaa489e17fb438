package fields

import (
	"fmt"

	"rdmatui/verbs"
)

// DeviceField describes one field of DeviceAttr.
type DeviceField struct {
	Name   string // C field name
	Unit   string // "bytes", "flags", "" for counts
	Format func(a *verbs.DeviceAttr) string
}

func countOf(at func(*verbs.DeviceAttr) int32) func(*verbs.DeviceAttr) string {
	return func(a *verbs.DeviceAttr) string { return fmt.Sprint(at(a)) }
}

func hexOf[T verbs.Integer](at func(*verbs.DeviceAttr) T) func(*verbs.DeviceAttr) string {
	return func(a *verbs.DeviceAttr) string { return fmt.Sprintf("0x%x", at(a)) }
}

// Device lists the 40 fields of struct ibv_device_attr in its order.
var Device = []DeviceField{
	{"fw_ver", "", func(a *verbs.DeviceAttr) string { return a.FWVer }},
	{"node_guid", "", func(a *verbs.DeviceAttr) string { return a.NodeGUID.String() }},
	{"sys_image_guid", "", func(a *verbs.DeviceAttr) string { return a.SysImageGUID.String() }},
	{"max_mr_size", "bytes", hexOf(func(a *verbs.DeviceAttr) uint64 { return a.MaxMRSize })},
	{"page_size_cap", "bytes", hexOf(func(a *verbs.DeviceAttr) uint64 { return a.PageSizeCap })},
	{"vendor_id", "", hexOf(func(a *verbs.DeviceAttr) uint32 { return a.VendorID })},
	{"vendor_part_id", "", func(a *verbs.DeviceAttr) string { return fmt.Sprint(a.VendorPartID) }},
	{"hw_ver", "", hexOf(func(a *verbs.DeviceAttr) uint32 { return a.HWVer })},
	{"max_qp", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxQP })},
	{"max_qp_wr", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxQPWR })},
	{"device_cap_flags", "flags", hexOf(func(a *verbs.DeviceAttr) uint32 { return a.DeviceCapFlags })},
	{"max_sge", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxSGE })},
	{"max_sge_rd", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxSGERD })},
	{"max_cq", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxCQ })},
	{"max_cqe", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxCQE })},
	{"max_mr", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxMR })},
	{"max_pd", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxPD })},
	{"max_qp_rd_atom", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxQPRDAtom })},
	{"max_ee_rd_atom", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxEERDAtom })},
	{"max_res_rd_atom", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxResRDAtom })},
	{"max_qp_init_rd_atom", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxQPInitRDAtom })},
	{"max_ee_init_rd_atom", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxEEInitRDAtom })},
	{"atomic_cap", "", func(a *verbs.DeviceAttr) string { return a.AtomicCap.String() }},
	{"max_ee", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxEE })},
	{"max_rdd", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxRDD })},
	{"max_mw", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxMW })},
	{"max_raw_ipv6_qp", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxRawIPv6QP })},
	{"max_raw_ethy_qp", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxRawEthyQP })},
	{"max_mcast_grp", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxMcastGrp })},
	{"max_mcast_qp_attach", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxMcastQPAttach })},
	{"max_total_mcast_qp_attach", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxTotalMcastQPAttach })},
	{"max_ah", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxAH })},
	{"max_fmr", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxFMR })},
	{"max_map_per_fmr", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxMapPerFMR })},
	{"max_srq", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxSRQ })},
	{"max_srq_wr", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxSRQWR })},
	{"max_srq_sge", "", countOf(func(a *verbs.DeviceAttr) int32 { return a.MaxSRQSGE })},
	{"max_pkeys", "", func(a *verbs.DeviceAttr) string { return fmt.Sprint(a.MaxPKeys) }},
	{"local_ca_ack_delay", "4.096 µs·2ⁿ", func(a *verbs.DeviceAttr) string { return fmt.Sprint(a.LocalCAAckDelay) }},
	{"phys_port_cnt", "", func(a *verbs.DeviceAttr) string { return fmt.Sprint(a.PhysPortCnt) }},
}
