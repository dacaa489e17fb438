// Package choice picks the device, the port and the GID that are used where a
// command names none, and says why.
//
// It holds the rules alone: routes and network namespaces come in as a [Network],
// tables as arguments. It never asks the system or a device.
package choice
