package native_test

import (
	"net/netip"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/native"
	"rdmatui/verbs/verbstest"
	vmtest "rdmatui/verbs/verbstest/vm"
)

const vmDevice = "rxe0"

func TestConformance(t *testing.T) {
	vmtest.Need(t)
	conform(t, native.New())
}

// TestConformancePlainCalls makes no quick calls.
func TestConformancePlainCalls(t *testing.T) {
	vmtest.Need(t)
	conform(t, native.NewWith(native.Options{PlainCalls: true}))
}

func conform(t *testing.T, provider verbs.Provider) {
	t.Helper()
	verbstest.Run(t, verbstest.Env{
		Provider: provider, Device: vmDevice, Quirks: rxeQuirks(t),
		Placement: vmtest.KernelAtLeast(t, 6, 2),
		JoinGroup: func(t *testing.T, group netip.Addr) { joinGroup(t, group.String()) },
	})
}

// rxeQuirks are rxe's own, as of Linux 6.1 and 6.12: drivers/infiniband/sw/rxe.
func rxeQuirks(t *testing.T) []verbstest.Quirk {
	quirks := []verbstest.Quirk{
		// No call site raises these events.
		verbstest.NoCommEst, verbstest.NoErrorEvents,
		// copy_data answers a message that does not fit with EINVAL, not ENOSPC,
		// and the responder takes that for a malformed receive request.
		verbstest.ShortRecvIsQPErr,
		// The requester has LOC_PROT_ERR for a range error (EFAULT) only; a key
		// that is not found is EINVAL.
		verbstest.BadLKeyIsQPErr,
		// Receive requests go into shared memory without a call: the kernel looks
		// at it again when a packet comes or the state changes.
		verbstest.LateRecvFlush,
		// rxe_qp_chk_attr looks at max_rd_atomic only.
		verbstest.NoDestRDAtomicLimit,
		// A local error sets the requester to ERROR whatever the type.
		verbstest.NoSQE,
		// Neither requester nor completer looks at en_sqd_async_notify.
		verbstest.UnaskedSQDrained,
		// A request that waits for a retry counts as posted only, and those are not
		// looked at in SQD; nothing runs the requester when the state is RTS again.
		verbstest.SQDStopsRetries, verbstest.LateResume,
		// The requester puts what was posted into the DETH.
		verbstest.NoOwnQKey,
		// The core puts the route's into the address (ib_resolve_unicast_gid_dmac).
		verbstest.HopLimitOfRoute,
		// rxe_cq_post is told of no send completion that it is solicited.
		verbstest.SilentFailedSend,
		// The responder that finds the queue full calls rxe_qp_error, which is silent.
		verbstest.OverrunSparesQP,
		// The requester waits for a free one of no READs (check_init_depth).
		verbstest.NoRDAtomicHangs,
		// check_rkey holds the range of a request against the region behind the window.
		verbstest.WindowShowsRegion,
		// rxe_dereg_mr counts the windows.
		verbstest.BoundIsEINVAL,
		// rxe_do_local_ops, of what rxe_invalidate_mw and rxe_invalidate_mr refuse.
		verbstest.BadLocalInvIsQPErr,
		// The kernel writes its own IB_WC_WITH_INVALIDATE, 4, where the library's is 8.
		verbstest.InvIsCsumOK,
		// rxe_invalidate_mw takes any type 2 window, and rxe_do_invalidate_mw follows the
		// queue pair and the region that one in the state FREE does not have.
		verbstest.InvalidateTwiceCrashes,
		// A bound window holds a reference on its queue pair, which rxe_destroy_qp waits for.
		verbstest.WindowHoldsQP,
		// rdma-core's half of the driver has no rereg_mr, nor has the kernel's before 6.3.
		verbstest.NoRereg,
		// wr_set_sge_list of rdma-core's own half, 44 to 56 at least, adds up the first element's length.
		verbstest.SGEsAsTheFirst,
		// validate_send_wr of rdma-core's own half of the driver.
		verbstest.AtomicAlignAtPost,
	}
	if vmtest.KernelAtLeast(t, 6, 4) {
		return append(quirks,
			// The queue pair is moved to ERR before the request is completed, and rxe_completer flushes all that it finds there.
			verbstest.RequesterErrorIsFlush,
			// flush_recv_queue makes completions that are not solicited.
			verbstest.SilentFlushedRecv,
		)
	}
	return append(quirks,
		// ib_umem_get asks for writable pages before 6.2.
		verbstest.PinsForWriting,
		// No call site raises it.
		verbstest.NoLastWQE,
		// rxe_qp_from_attr keeps it only of calls that name it.
		verbstest.NoCurState,
		// The responder takes a datagram that does not fit for any message that does not.
		verbstest.LongDatagramBreaksRecv,
	)
}
