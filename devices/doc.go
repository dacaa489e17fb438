// Package devices is the inventory: the devices of all providers joined with
// what the operating system knows of them (netdevs and their addresses,
// character devices, PCI, NUMA, modules, counters, users), a watcher that says
// when the list changes, and the diagnosis of why there is no device.
//
// [Inventory.List] is cheap and opens no kernel device. [Inventory.Detail]
// opens one device for as long as it takes to read it. What only a screen shows
// (counters, users) is read by calls of its own.
//
// All values are plain data; their JSON names are those of the C fields. Text
// from the kernel is cut to a bounded length but not escaped: who prints it does.
package devices
