package abi

// AddrInfo mirrors struct rdma_addrinfo: hints to a resolver, or one of its
// results.
type AddrInfo struct {
	Flags        int32   `c:"ai_flags"`
	Family       int32   `c:"ai_family"`
	QPType       int32   `c:"ai_qp_type"`
	PortSpace    int32   `c:"ai_port_space"`
	SrcLen       uint32  `c:"ai_src_len"`
	DstLen       uint32  `c:"ai_dst_len"`
	SrcAddr      uintptr `c:"ai_src_addr"`
	DstAddr      uintptr `c:"ai_dst_addr"`
	SrcCanonName uintptr `c:"ai_src_canonname"`
	DstCanonName uintptr `c:"ai_dst_canonname"`
	RouteLen     uint64  `c:"ai_route_len"`
	Route        uintptr `c:"ai_route"`
	ConnectLen   uint64  `c:"ai_connect_len"`
	Connect      uintptr `c:"ai_connect"`
	Next         uintptr `c:"ai_next"`
}
