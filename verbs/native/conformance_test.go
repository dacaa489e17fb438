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

// TestConformancePlainCalls runs the suite without quick calls.
func TestConformancePlainCalls(t *testing.T) {
	vmtest.Need(t)
	conform(t, native.NewWith(native.Options{PlainCalls: true}))
}

func conform(t *testing.T, provider verbs.Provider) {
	t.Helper()
	verbstest.Run(t, verbstest.Env{
		Provider: provider, Device: vmDevice, Quirks: rxeQuirks(t),
		Placement: vmtest.KernelAtLeast(t, 6, 2), OnDemand: vmtest.KernelAtLeast(t, 6, 15),
		JoinGroup: func(t *testing.T, group netip.Addr) { joinGroup(t, group.String()) },
	})
}

// rxeQuirks lists where rxe deviates, as of Linux 6.1, 6.12 and 7.3:
// drivers/infiniband/sw/rxe.
func rxeQuirks(t *testing.T) []verbstest.Quirk {
	quirks := []verbstest.Quirk{
		// Nothing in rxe raises these events.
		verbstest.NoCommEst, verbstest.NoReqErr,
		// copy_data answers a message that does not fit with EINVAL, not ENOSPC,
		// and the responder takes that for a malformed receive request.
		verbstest.ShortRecvIsQPErr,
		// The requester reports LOC_PROT_ERR for a range error (EFAULT) only; an
		// unknown key is EINVAL.
		verbstest.BadLKeyIsQPErr,
		// RECVs are written to shared memory without a call: the kernel looks for them
		// when a packet arrives or the state changes.
		verbstest.LateRecvFlush,
		// rxe_qp_chk_attr checks max_rd_atomic only.
		verbstest.NoDestRDAtomicLimit,
		// A local error sets the requester to ERROR, whatever the type of the queue
		// pair.
		verbstest.NoSQE,
		// Neither requester nor completer looks at en_sqd_async_notify.
		verbstest.UnaskedSQDrained,
		// A request that waits for a retry counts as posted only, and SQD ignores
		// those; the return to RTS does not run the requester.
		verbstest.SQDStopsRetries, verbstest.LateResume,
		// The requester writes the remote_qkey of the request into the DETH.
		verbstest.NoOwnQKey,
		// The core writes the route's hop limit into the address
		// (ib_resolve_unicast_gid_dmac).
		verbstest.HopLimitOfRoute,
		// rxe_cq_post is not told that a failed send completion is solicited.
		verbstest.SilentFailedSend,
		// The responder calls rxe_qp_error when the completion queue is full, which
		// raises no event.
		verbstest.OverrunSparesQP,
		// With a limit of no READs the requester waits for a free one
		// (check_init_depth).
		verbstest.NoRDAtomicHangs,
		// check_rkey compares the range of a request with the region of the window.
		verbstest.WindowShowsRegion,
		// rxe_dereg_mr counts the windows.
		verbstest.BoundIsEINVAL,
		// rxe_do_local_ops reports LOC_QP_OP_ERR when rxe_invalidate_mw or
		// rxe_invalidate_mr refuses.
		verbstest.BadLocalInvIsQPErr,
		// The kernel writes its own IB_WC_WITH_INVALIDATE, 4; the library's value is 8.
		verbstest.InvIsCsumOK,
		// rxe_invalidate_mw accepts any type 2 window, and rxe_do_invalidate_mw follows
		// its queue pair and region, which a window in the state FREE does not have.
		verbstest.InvalidateTwiceCrashes,
		// A bound window holds a reference on its queue pair, which rxe_destroy_qp waits for.
		verbstest.WindowHoldsQP,
		// The driver's part in rdma-core has no rereg_mr, nor has the kernel's part
		// before 6.3.
		verbstest.NoRereg,
		// wr_set_sge_list in rdma-core's part of the driver (at least 44 to 56) adds up
		// the first element's length.
		verbstest.SGEsAsTheFirst,
		// validate_send_wr in rdma-core's part of the driver.
		verbstest.AtomicAlignAtPost,
		// send_data_in copies with the queue pair's domain.
		verbstest.SharedRecvInQPDomain,
	}
	if !vmtest.KernelAtLeast(t, 7, 0) {
		// Later, check_rkey raises it for RC.
		quirks = append(quirks, verbstest.NoAccessErr)
	}
	if vmtest.KernelAtLeast(t, 6, 15) {
		// __rxe_odp_mr_copy adds neither the place in the first page to its address, nor, on the
		// next page, what is done to that of the packet.
		quirks = append(quirks, verbstest.ODPAtPageStart)
	}
	if vmtest.KernelAtLeast(t, 6, 4) {
		return append(quirks,
			// The queue pair moves to ERR before the request is completed, and
			// rxe_completer then flushes all outstanding requests.
			verbstest.RequesterErrorIsFlush,
			// Completions that flush_recv_queue makes are not solicited.
			verbstest.SilentFlushedRecv,
		)
	}
	return append(quirks,
		// rxe_check_bind_mw does not compare the domains.
		verbstest.BindsForeignRegion,
		// Before 6.2 ib_umem_get asks for writable pages.
		verbstest.PinsForWriting,
		// Nothing in rxe raises it.
		verbstest.NoLastWQE,
		// rxe_qp_from_attr keeps it only if the call names it.
		verbstest.NoCurState,
		// The responder treats a datagram that does not fit like any other message that
		// does not fit.
		verbstest.LongDatagramBreaksRecv,
	)
}
