package abi

// Device mirrors struct ibv_device: one entry of the array that ibv_get_device_list
// returns. It belongs to the library and is valid until ibv_free_device_list, or while
// a context opened on it exists.
type Device struct {
	_             deviceOps `c:"_ops"`
	NodeType      int32     `c:"node_type"`
	TransportType int32     `c:"transport_type"`
	Name          [64]byte  `c:"name"`
	DevName       [64]byte  `c:"dev_name"`
	DevPath       [256]byte `c:"dev_path"`
	IBDevPath     [256]byte `c:"ibdev_path"`
}

type deviceOps struct{ _, _ uintptr }
