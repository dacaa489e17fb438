package verbs

import "fmt"

// DeviceField describes one field of DeviceAttr.
type DeviceField struct {
	Name   string // C field name
	Unit   string // "bytes", "flags", "" for counts
	Doc    string // one line
	Format func(a *DeviceAttr) string
}

func countOf(at func(*DeviceAttr) int32) func(*DeviceAttr) string {
	return func(a *DeviceAttr) string { return fmt.Sprint(at(a)) }
}

func hexOf[T Integer](at func(*DeviceAttr) T) func(*DeviceAttr) string {
	return func(a *DeviceAttr) string { return fmt.Sprintf("0x%x", at(a)) }
}

// DeviceFields lists the 40 fields of struct ibv_device_attr in its order.
var DeviceFields = []DeviceField{
	{"fw_ver", "", "firmware version", func(a *DeviceAttr) string { return a.FWVer }},
	{"node_guid", "", "the device's own identifier", func(a *DeviceAttr) string { return a.NodeGUID.String() }},
	{"sys_image_guid", "", "the same for all devices of one board or system", func(a *DeviceAttr) string { return a.SysImageGUID.String() }},
	{"max_mr_size", "bytes", "largest memory region", hexOf(func(a *DeviceAttr) uint64 { return a.MaxMRSize })},
	{"page_size_cap", "bytes", "page sizes that it can map, one bit a size", hexOf(func(a *DeviceAttr) uint64 { return a.PageSizeCap })},
	{"vendor_id", "", "IEEE vendor identifier", hexOf(func(a *DeviceAttr) uint32 { return a.VendorID })},
	{"vendor_part_id", "", "the vendor's part number", func(a *DeviceAttr) string { return fmt.Sprint(a.VendorPartID) }},
	{"hw_ver", "", "hardware revision", hexOf(func(a *DeviceAttr) uint32 { return a.HWVer })},
	{"max_qp", "", "queue pairs", countOf(func(a *DeviceAttr) int32 { return a.MaxQP })},
	{"max_qp_wr", "", "work requests outstanding in one queue", countOf(func(a *DeviceAttr) int32 { return a.MaxQPWR })},
	{"device_cap_flags", "flags", "what the device can do", hexOf(func(a *DeviceAttr) uint32 { return a.DeviceCapFlags })},
	{"max_sge", "", "scatter/gather elements of one request", countOf(func(a *DeviceAttr) int32 { return a.MaxSGE })},
	{"max_sge_rd", "", "scatter/gather elements of one READ", countOf(func(a *DeviceAttr) int32 { return a.MaxSGERD })},
	{"max_cq", "", "completion queues", countOf(func(a *DeviceAttr) int32 { return a.MaxCQ })},
	{"max_cqe", "", "entries of one completion queue", countOf(func(a *DeviceAttr) int32 { return a.MaxCQE })},
	{"max_mr", "", "memory regions", countOf(func(a *DeviceAttr) int32 { return a.MaxMR })},
	{"max_pd", "", "protection domains", countOf(func(a *DeviceAttr) int32 { return a.MaxPD })},
	{"max_qp_rd_atom", "", "READs and atomics that a peer may have outstanding on one QP", countOf(func(a *DeviceAttr) int32 { return a.MaxQPRDAtom })},
	{"max_ee_rd_atom", "", "the same for one EE context (RD, obsolete)", countOf(func(a *DeviceAttr) int32 { return a.MaxEERDAtom })},
	{"max_res_rd_atom", "", "responder resources of the whole device", countOf(func(a *DeviceAttr) int32 { return a.MaxResRDAtom })},
	{"max_qp_init_rd_atom", "", "READs and atomics that one QP may start at once", countOf(func(a *DeviceAttr) int32 { return a.MaxQPInitRDAtom })},
	{"max_ee_init_rd_atom", "", "the same for one EE context (RD, obsolete)", countOf(func(a *DeviceAttr) int32 { return a.MaxEEInitRDAtom })},
	{"atomic_cap", "", "how far atomics are atomic: NONE, HCA (this device), GLOB (the host too)", func(a *DeviceAttr) string { return a.AtomicCap.String() }},
	{"max_ee", "", "EE contexts (RD, obsolete)", countOf(func(a *DeviceAttr) int32 { return a.MaxEE })},
	{"max_rdd", "", "RD domains (obsolete)", countOf(func(a *DeviceAttr) int32 { return a.MaxRDD })},
	{"max_mw", "", "memory windows", countOf(func(a *DeviceAttr) int32 { return a.MaxMW })},
	{"max_raw_ipv6_qp", "", "raw IPv6 queue pairs", countOf(func(a *DeviceAttr) int32 { return a.MaxRawIPv6QP })},
	{"max_raw_ethy_qp", "", "raw Ethertype queue pairs", countOf(func(a *DeviceAttr) int32 { return a.MaxRawEthyQP })},
	{"max_mcast_grp", "", "multicast groups", countOf(func(a *DeviceAttr) int32 { return a.MaxMcastGrp })},
	{"max_mcast_qp_attach", "", "queue pairs in one multicast group", countOf(func(a *DeviceAttr) int32 { return a.MaxMcastQPAttach })},
	{"max_total_mcast_qp_attach", "", "queue pairs in all multicast groups", countOf(func(a *DeviceAttr) int32 { return a.MaxTotalMcastQPAttach })},
	{"max_ah", "", "address handles", countOf(func(a *DeviceAttr) int32 { return a.MaxAH })},
	{"max_fmr", "", "fast memory regions (obsolete)", countOf(func(a *DeviceAttr) int32 { return a.MaxFMR })},
	{"max_map_per_fmr", "", "mappings of one fast memory region (obsolete)", countOf(func(a *DeviceAttr) int32 { return a.MaxMapPerFMR })},
	{"max_srq", "", "shared receive queues", countOf(func(a *DeviceAttr) int32 { return a.MaxSRQ })},
	{"max_srq_wr", "", "requests of one shared receive queue", countOf(func(a *DeviceAttr) int32 { return a.MaxSRQWR })},
	{"max_srq_sge", "", "scatter elements of one SRQ request", countOf(func(a *DeviceAttr) int32 { return a.MaxSRQSGE })},
	{"max_pkeys", "", "rows of the P_Key table", func(a *DeviceAttr) string { return fmt.Sprint(a.MaxPKeys) }},
	{"local_ca_ack_delay", "4.096 µs·2ⁿ", "how long the device itself delays an ACK", func(a *DeviceAttr) string { return fmt.Sprint(a.LocalCAAckDelay) }},
	{"phys_port_cnt", "", "ports", func(a *DeviceAttr) string { return fmt.Sprint(a.PhysPortCnt) }},
}
