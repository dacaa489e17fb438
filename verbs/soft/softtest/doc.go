// Package softtest holds what tests of the software device share: pairs of queue pairs, connections of the connection
// manager, and virtual time in which every packet is checked. It takes any provider, so that tests inside package soft
// can use it too.
package softtest

import "rdmatui/verbs"

// Provider is what the tests need of a software provider.
type Provider interface {
	verbs.Provider
	verbs.CMProvider
	// HWCounters lists the counters of a device.
	HWCounters(device string) ([]verbs.HWCounter, error)
	// TapPackets makes tap see each packet of a device; nil: nobody does.
	TapPackets(device string, tap func(verbs.Packet)) error
	// Held lists what is open.
	Held() []string
}
