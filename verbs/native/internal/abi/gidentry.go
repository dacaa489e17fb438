package abi

// GIDEntry mirrors struct ibv_gid_entry: one valid entry of a GID table. NdevIfindex is
// 0 if the entry has no network device.
type GIDEntry struct {
	GID         GID    `c:"gid"`
	GIDIndex    uint32 `c:"gid_index"`
	PortNum     uint32 `c:"port_num"`
	GIDType     uint32 `c:"gid_type"`
	NdevIfindex uint32 `c:"ndev_ifindex"`
}

// GID mirrors union ibv_gid: 16 bytes in network order, aligned like the 64-bit
// halves that the union also offers.
type GID struct {
	_   [0]uint64
	Raw [16]byte
}
