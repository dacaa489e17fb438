package native

import "rdmatui/verbs/native/internal/dl"

// discovery is the thread that makes each call in which libibverbs or librdmacm may
// find a new device. There is one in a process, as there is one list of devices.
//
// librdmacm before release 52 sorts devices by the difference of their addresses,
// cut off to 32 bits. malloc gives each thread memory at a place of its own; where
// two devices lie 2 GiB apart or more, their order may come out wrong. With the next
// device that is removed the library then forgets devices that are there. When it
// has none left, rdma_create_event_channel waits forever for a lock that its own
// thread holds. What one thread allocates lies close together.
var discovery dl.Thread

// discover has the calls made on the thread.
func (l *library) discover() {
	l.getDeviceList = l.getDeviceList.On(&discovery)
}
