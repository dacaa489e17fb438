package abi

// GIDEntry mirrors struct ibv_gid_entry: one valid entry of a GID table. NdevIfindex is
// 0 when no network device stands behind it.
type GIDEntry struct {
	GID         [16]byte `c:"gid"`
	GIDIndex    uint32   `c:"gid_index"`
	PortNum     uint32   `c:"port_num"`
	GIDType     uint32   `c:"gid_type"`
	NdevIfindex uint32   `c:"ndev_ifindex"`
}
