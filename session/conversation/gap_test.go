package conversation

import (
	"testing"

	"rdmatui/verbs/wire"
)

// nak asks for packets from a PSN on.
func (x *trace) nak(psn wire.PSN) {
	x.answer(wire.RCAcknowledge, psn, wire.NAK(wire.NAKPSNSequence), 0)
}

// gapCases are requests of which packets were lost before the capture, and sent again.
var gapCases = []requestCase{
	{"the last packet of a message", func(x *trace) {
		x.ask(wire.RCSendFirst, 1, mtu)
		x.ask(wire.RCSendOnly, 3, 5)
		x.nak(2)
		x.ask(wire.RCSendLast, 2, 7)
		x.ask(wire.RCSendOnly, 3, 5)
		x.ack(3)
	}, []string{"SEND 1031/2 ok 5ms again 1", "SEND 5/2 ok 4ms again 1"}, " gap nak retry retry "},
	{"the middle of a message", func(x *trace) {
		x.ask(wire.RCWriteFirst, 1, mtu)
		x.ask(wire.RCWriteLast, 4, 7)
		x.nak(2)
		x.ask(wire.RCWriteMiddle, 2, mtu)
		x.ask(wire.RCWriteMiddle, 3, mtu)
		x.ask(wire.RCWriteLast, 4, 7)
		x.ack(4)
	}, []string{"RDMA_WRITE 3079/5 ok 6ms again 3"}, " gap nak retry retry retry "},
	{"all but the last packet of a message", func(x *trace) {
		x.ask(wire.RCSendOnly, 1, 1)
		x.ask(wire.RCSendLast, 4, 7)
		x.nak(2)
		x.ask(wire.RCSendFirst, 2, mtu)
		x.ask(wire.RCSendMiddle, 3, mtu)
		x.ask(wire.RCSendLast, 4, 7)
		x.ack(4)
	}, []string{"SEND 1/1 ok 2ms", "SEND 2055/4 ok 5ms again 3"}, " gap nak retry retry retry "},
	{"the first packet of a message, which comes last", func(x *trace) {
		x.ask(wire.RCSendOnly, 1, 1)
		x.ask(wire.RCSendMiddle, 3, mtu)
		x.ask(wire.RCSendLast, 4, 7)
		x.ask(wire.RCSendFirst, 2, mtu)
		x.ack(4)
	}, []string{"SEND 1/1 ok 4ms", "SEND 2055/3 ok 3ms"}, " gap  late "},
	{"several requests", func(x *trace) {
		x.teach()
		x.ask(wire.RCSendOnly, 3, 1)
		x.ask(wire.RCSendOnly, 8, 9)
		x.nak(4)
		x.ask(wire.RCFetchAdd, 4, 0)
		x.read(5, mtu+1)
		x.ask(wire.RCWriteOnly, 7, 3)
		x.ask(wire.RCSendOnly, 8, 9)
		x.answer(wire.RCAtomicAcknowledge, 4, 0, 0)
		x.answer(wire.RCReadResponseFirst, 5, 0, mtu)
		x.answer(wire.RCReadResponseLast, 6, 0, 1)
		x.ack(8)
	}, []string{"SEND 1/1 ok 2ms", "FETCH_ADD 0/1 ok 4ms again 1", "RDMA_READ_REQUEST 1025/2 ok 5ms again 1",
		"RDMA_WRITE 3/1 ok 5ms again 1", "SEND 9/2 ok 9ms again 1"}, " gap nak retry retry retry retry    "},
	{"a READ of unknown length, and what follows it", func(x *trace) {
		x.ask(wire.RCSendOnly, 3, 1)
		x.ask(wire.RCSendOnly, 8, 9)
		x.nak(4)
		x.read(4, 2*mtu)
		x.ask(wire.RCFetchAdd, 6, 0)
		x.ask(wire.RCWriteOnly, 7, 3)
		x.answer(wire.RCReadResponseFirst, 4, 0, mtu)
		x.answer(wire.RCReadResponseLast, 5, 0, mtu)
		x.answer(wire.RCAtomicAcknowledge, 6, 0, 0)
		x.ack(8)
	}, []string{"SEND 1/1 ok 2ms", "RDMA_READ_REQUEST 2048/2 ok 4ms again 1", "FETCH_ADD 0/1 ok 4ms again 1",
		"RDMA_WRITE 3/1 ok 4ms again 1", "SEND 9/1 ok 8ms"}, " gap nak retry retry retry    "},
	{"two READs, the first of unknown length", func(x *trace) {
		x.read(3, 2*mtu)
		x.ask(wire.RCSendOnly, 7, 9)
		x.answer(wire.RCReadResponseFirst, 3, 0, mtu)
		x.answer(wire.RCReadResponseLast, 4, 0, mtu)
		x.nak(5)
		x.read(5, mtu+1)
		x.answer(wire.RCReadResponseFirst, 5, 0, mtu)
		x.answer(wire.RCReadResponseLast, 6, 0, 1)
		x.ack(7)
	}, []string{"RDMA_READ_REQUEST 2048/2 ok 3ms", "RDMA_READ_REQUEST 1025/2 ok 2ms again 1", "SEND 9/1 ok 7ms"},
		"    nak retry   "},
	{"sent again after a timeout, not overtaken", func(x *trace) {
		x.ask(wire.RCSendOnly, 1, 1)
		x.ask(wire.RCSendOnly, 3, 3)
		x.ask(wire.RCSendOnly, 1, 1)
		x.ask(wire.RCSendOnly, 2, 2)
		x.ask(wire.RCSendOnly, 3, 3)
		x.ack(3)
	}, []string{"SEND 1/2 ok 5ms again 1", "SEND 2/1 ok 2ms again 1", "SEND 3/2 ok 4ms again 1"},
		" gap retry retry retry "},
	{"an unreliable message", func(x *trace) {
		x.ask(wire.UCSendFirst, 1, mtu)
		x.ask(wire.UCSendOnly, 3, 3)
		x.ask(wire.UCSendLast, 2, 3)
	}, []string{"SEND 3/1", "SEND 1027/2"}, " gap late"},
}

// TestGaps: what was lost before the capture and sent again belongs to its requests, with all its bytes.
func TestGaps(t *testing.T) { playAll(t, gapCases) }
