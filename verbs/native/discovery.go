package native

import "rdmatui/verbs/native/internal/dl"

// discovery is the thread for every call in which libibverbs or librdmacm may find a
// new device. A process has one, because it has one list of devices.
//
// librdmacm before release 52 sorts devices by the difference of their addresses,
// truncated to 32 bits. malloc gives each thread its own memory area; if two devices
// are 2 GiB or more apart, their order may be wrong. When the next device is removed,
// the library then forgets devices that still exist. Once it has none left,
// rdma_create_event_channel waits forever for a lock that its own thread holds. Memory
// allocated by a single thread is close together.
var discovery dl.Thread

// discover runs the library's device-finding calls on the discovery thread.
func (l *library) discover() {
	l.getDeviceList = l.getDeviceList.On(&discovery)
}
