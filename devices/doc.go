// Package devices is the device inventory: the devices of all providers joined with
// what the operating system knows of them (netdevs and their addresses,
// character devices, PCI, NUMA, modules, counters, users), a watcher that says
// when the list changes, a diagnosis of why there is no device, and the kernel's
// route to a peer.
//
// [Inventory.List] is cheap and opens no kernel device. [Inventory.Detail]
// opens one device for as long as it takes to read it. Counters and users, which change
// all the time, are read by separate calls.
//
// All values are plain data; their JSON names are the C field names. Text from the
// kernel is cut to a bounded length but not escaped: the caller that prints it must.
package devices
