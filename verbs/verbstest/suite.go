// Package verbstest is the conformance suite that every provider must pass. It runs on
// the software device everywhere and, in the virtual machine, on the kernel's devices
// through libibverbs.
//
// A provider's own test calls [Run]. A [Quirk] declares a known difference of a device from
// the specification. It changes the expected result, but never skips a check.
package verbstest

import (
	"net/netip"
	"testing"

	"rdmatui/verbs"
)

// Env describes the device under test to the suite.
type Env struct {
	Provider verbs.Provider
	Device   string // a device that can reach itself
	Peer     string // another that it can reach; "" where there is none
	Quirks   []Quirk
	// Placement: the device has FLUSH and ATOMIC_WRITE, and must report them.
	Placement bool
	// OnDemand: the device has on-demand paging, and must report it.
	OnDemand bool
	// DMABuf: the device registers dma-bufs.
	DMABuf bool
	// DeviceMemory: the device has memory of its own, and must report it.
	DeviceMemory bool
	// DataInOrder: the device writes whole messages in order, and must report it.
	DataInOrder bool
	// JoinGroup joins the host to a multicast group until the test ends. It is nil if
	// attaching a queue pair joins the group.
	JoinGroup func(t *testing.T, group netip.Addr)
}

// suite lists the tests by concept.
var suite = []struct {
	name string
	run  func(t *testing.T, b *bench)
}{
	{"device attributes", testDeviceAttr},
	{"clock of the device", testRTValues},
	{"ports and GIDs", testPorts},
	{"regions", testRegions},
	{"closing order", testClosingOrder},
	{"bring-up", testBringUp},
	{"refused transitions", testRefusedTransitions},
	{"refused values", testRefusedValues},
	{"refused sizes", testRefusedSizes},
	{"query", testQuery},
	{"order of the data of a message", testDataInOrder},
	{"reset from ERR and RTS", testReset},
	{"messages", testMessages},
	{"sizes", testSizes},
	{"PSN wrap", testPSNWrap},
	{"immediate data", testImmediate},
	{"inline lengths", testInlineLengths},
	{"scatter and gather", testScatterGather},
	{"elements", testElements},
	{"chain", testChain},
	{"chain that stops", testChainStops},
	{"full send queue", testFullSendQueue},
	{"unsignalled", testUnsignalled},
	{"order", testOrder},
	{"one queue pair, many goroutines", testSharedQP},
	{"many connections", testManyPairs},
	{"SEND_WITH_INV", testSendWithInvalidate},
	{"memory windows", testWindowTypes},
	{"rights of memory windows", testWindowRights},
	{"keys of memory windows", testWindowKeys},
	{"memory windows of a region", testWindowOfRegion},
	{"refused memory windows", testWindowRefusals},
	{"invalidation", testInvalidate},
	{"invalidation of what is not bound", testInvalidateUnbound},
	{"memory windows of a queue pair that ends", testWindowsOfQP},
	{"re-registration", testRereg},
	{"refused re-registration", testRefusedRereg},
	{"memory of regions", testBackings},
	{"on-demand paging", testOnDemand},
	{"device memory", testDeviceMemory},
	{"refused device memory", testRefusedDeviceMemory},
	{"atomics", testAtomics},
	{"refused atomics", testRefusedAtomics},
	{"concurrent atomics", testConcurrentAtomics},
	{"FLUSH and ATOMIC_WRITE", testPlacement},
	{"refused FLUSH and ATOMIC_WRITE", testRefusedPlacement},
	{"ibv_wr_*", testExtendedPosts},
	{"extended completion queue", testExtendedCQ},
	{"size of a completion queue", testResizeCQ},
	{"moderation of a completion queue", testModerateCQ},
	{"fence", testFence},
	{"READ limits", testReadLimits},
	{"remote failures", testRemoteFailures},
	{"rights of regions", testRegionAccess},
	{"rights of queue pairs", testQPAccess},
	{"rights that are taken away", testAccessTakenAway},
	{"foreign keys", testForeignKeys},
	{"ranges", testRanges},
	{"empty requests", testEmptyRequests},
	{"local failures", testLocalFailures},
	{"retries run out", testRetriesRunOut},
	{"peer that comes late", testLatePeer},
	{"rnr_retry", testRNRRetries},
	{"states that do not receive", testDeafStates},
	{"another transport", testForeignTransport},
	{"flush", testFlush},
	{"flush in order", testFlushOrder},
	{"send queue drained", testDrain},
	{"send queue error", testSendQueueError},
	{"posts by state", testPostsByState},
	{"post in the wrong state", testPostStates},
	{"completion events", testCompletionEvents},
	{"solicited events", testSolicited},
	{"asynchronous events", testAsyncEvents},
	{"completion queue overrun", testCQOverrun},
	{"cancelled waits", testCancelledWaits},
	{"foreign objects", testForeignObjects},
	{"shared receive queue", testSRQ},
	{"shared receive queue that runs dry", testSRQRunsDry},
	{"two devices", testTwoDevices},
	{"UC", testUC},
	{"UD", testUD},
	{"multicast", testMulticast},
	{"names and addresses", testAddrInfo},
}

// Run runs the whole suite on the environment's provider.
func Run(t *testing.T, env Env) {
	t.Helper()
	for _, s := range suite {
		t.Run(s.name, func(t *testing.T) { s.run(t, newBench(t, env)) })
	}
}
