// Package capturetest holds what tests of captures share: Ethernet frames in the tunnels and mirror headers of switches
// and hypervisors, files in each format of captures, packets of the kernel's Soft-RoCE, tshark's view of a capture to
// compare with, and a network namespace in which a test may open packet sockets.
package capturetest
