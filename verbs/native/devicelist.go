package native

import (
	"encoding/binary"
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

// deviceList is the array that ibv_get_device_list returns. A device remains
// valid until the list is freed, or while a context opened on it exists.
type deviceList struct {
	lib     *library
	array   uintptr
	devices []uintptr
}

func (l *library) devices() (*deviceList, error) {
	var n int32
	array, err := l.getDeviceList.Call(uintptr(unsafe.Pointer(&n)))
	if err != nil {
		return nil, listError(err)
	}
	list := &deviceList{lib: l, array: array}
	for i := range int(n) {
		list.devices = append(list.devices, *dl.View[uintptr](array + uintptr(i)*unsafe.Sizeof(array)))
	}
	return list, nil
}

// listError explains ENOSYS: the library found no uverbs in the kernel.
func listError(err error) error {
	op := failure.Of("ibv_get_device_list", "", err)
	if errors.Is(err, syscall.ENOSYS) {
		return fmt.Errorf("%w: %w", &verbs.UnsupportedError{Feature: "RDMA", Requires: "the kernel module ib_uverbs"},
			op)
	}
	return op
}

func (d *deviceList) free() { d.lib.freeDeviceList.Call(d.array) }

func (d *deviceList) info(i int) verbs.DeviceInfo {
	guid := d.lib.getDeviceGUID.Call(d.devices[i])
	return deviceInfo(dl.View[abi.Device](d.devices[i]), uint64(guid))
}

// deviceInfo converts a device; guid is a __be64 as C returns it, so its bytes
// in memory are in network order.
func deviceInfo(d *abi.Device, guid uint64) verbs.DeviceInfo {
	info := verbs.DeviceInfo{
		Name:      abi.CString(d.Name[:]),
		Provider:  verbs.HostProvider,
		NodeType:  nameOr(nodeTypes, d.NodeType),
		Transport: nameOr(transports, d.TransportType),
		DevName:   abi.CString(d.DevName[:]),
		DevPath:   abi.CString(d.DevPath[:]),
		IBDevPath: abi.CString(d.IBDevPath[:]),
	}
	binary.NativeEndian.PutUint64(info.NodeGUID[:], guid)
	return info
}

// nodeTypes names enum ibv_node_type.
var nodeTypes = map[int32]string{
	1: "CA", 2: "SWITCH", 3: "ROUTER", 4: "RNIC", 5: "USNIC", 6: "USNIC_UDP", 7: "UNSPECIFIED",
}

// transports names enum ibv_transport_type as ibv_devinfo(1) does.
var transports = map[int32]string{
	0: "InfiniBand", 1: "iWARP", 2: "usNIC", 3: "usNIC UDP", 4: "unspecified",
}

func nameOr(names map[int32]string, v int32) string {
	if s, ok := names[v]; ok {
		return s
	}
	return fmt.Sprintf("unknown(%d)", v)
}
