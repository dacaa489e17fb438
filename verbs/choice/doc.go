// Package choice picks the default device, port and GID for a command that names none,
// and says why.
//
// It contains only the rules: routes and network namespaces are passed in as a
// [Network], tables as arguments. It never queries the system or a device.
package choice
