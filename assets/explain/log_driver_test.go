package explain

import (
	"strings"
	"testing"
)

// TestDriverLines: what a driver prints of its firmware is told with the line's own values.
func TestDriverLines(t *testing.T) {
	for text, want := range map[string]string{
		"mlx5_core 0000:c1:00.0: mlx5_cmd_out_err:803:(pid 1097): QUERY_HCA_CAP(0x100) op_mod(0x40) failed, " +
			"status bad parameter(0x3), syndrome (0x5add95), err(-22)": "refused QUERY_HCA_CAP: bad parameter (0x3): " +
			"the firmware does not accept a value in the command; EINVAL; syndrome 0x5add95",
		"ib_mlx5_dv.c:452  UCX  ERROR   mlx5dv_devx_obj_create(CQ) failed on mlx5_1, syndrome 0x2aac7c: " +
			"Remote I/O error": "the firmware refused to create the CQ; syndrome 0x2aac7c",
		"mlx4_core 0000:03:00.0: command SET_PORT (0xc) failed: in_param=0x6098b5000, in_mod=0x1, op_mod=0x0, " +
			"fw status = 0x40": "SET_PORT (0xc): status 0x40: the completion queue has more",
		"bnxt_en 0000:19:00.0: QPLIB: cmdq[0x4b9]=0x15 status 0x5": "0x15: create an address handle (ibv_create_ah); " +
			"the firmware refused it with status 0x5",
		"bnxt_en 0000:19:00.0: QPLIB: cmdq[0x41d]=0x3 timedout (20000)msec":                 "0x3: change a queue pair (ibv_modify_qp)",
		"ice 0000:07:00.1 rocep7s0f1: abnormal ae_id = 0x401 bool qp=1 qp_id = 1, ae_src=5": "no valid ARP entry",
	} {
		if a := Read(text); len(a.Entries) == 0 || !strings.Contains(a.Entries[0].Here, want) {
			t.Errorf("%.80q: %q, want %q", text, answeredBy(a), want)
		}
	}
}

// TestWhatFailed: the remainder of an address or of a number is no name of what failed.
func TestWhatFailed(t *testing.T) {
	for text, want := range map[string]string{
		"mlx4_core: probe of 0000:01:00.0 failed with error -12":                          "mlx4_core",
		"LustreError: operation obd_ping to node 172.31.126.88@o2ib failed: rc = -107":    "obd_ping",
		"UCX ERROR connect(fd=40, dest_addr=172.17.0.1:40703) failed: Connection refused": "",
	} {
		a := Read(text)
		if len(a.Entries) == 0 || a.Entries[0].Family != "errno" || a.Entries[0].Failed != want {
			t.Errorf("%q: %q, want an errno of %q", text, answeredBy(a), want)
		}
	}
}

// TestCauseBeforeConsequence: what only follows from another line stands behind it, wherever it is.
func TestCauseBeforeConsequence(t *testing.T) {
	for text, want := range map[string]string{
		"nvme nvme2: I/O 123 QID 1 timeout\nbnxt_en 0000:19:00.0: QPLIB: cmdq[0x41d]=0x3 timedout (20000)msec": "The firmware " +
			"does not answer",
		"nvme_rdma.c: *ERROR*: Expected RDMA_CM_EVENT_DISCONNECTED but received RDMA_CM_EVENT_TIMEWAIT_EXIT (15) from CM " +
			"event channel (status = 0)\nCQ error, abort requests after transport retry counter exceeded": "RETRY_EXC_ERR",
		"kernel: workqueue: Failed to create a rescuer kthread for wq \"ipoib_wq\": -EINTR\n" +
			"kernel: ib0: failed to allocate device WQ": "EINTR",
		"nvme nvme2: I/O 123 QID 1 timeout\nnvme nvme2: I/O 124 QID 1 timeout":       "I/O %d QID %d timeout",
		"Couldn't get device attributes\nUnable to create QP.\nFailed to create QP.": "ibv_query_device",
		"nvme1: RECV for CQE 0x33c0c31a failed with status WR flushed (5)\nnvme1: starting error recovery\n" +
			"nvmet_rdma: received IB QP event: send queue drained (5)": "WR_FLUSH_ERR",
	} {
		if a := Read(text); len(a.Entries) == 0 || a.Entries[0].Name != want {
			t.Errorf("%.80q: %.200q, want %s", text, answeredBy(a), want)
		}
	}
	if a := Read("ib_srp: max_iu_len = 8260\nib_srpt: srpt_zerolength_write_done wc->status 0"); len(a.Entries) > 0 {
		t.Errorf("of lines in which nothing failed: %.200q", answeredBy(a))
	}
}

// TestMessageNamesItsValues: beside the errno stands what the program put into its message.
func TestMessageNamesItsValues(t *testing.T) {
	for text, want := range map[string]string{
		"ucp_worker.c:1415 UCX  ERROR uct_iface_open(tcp/net0) failed: Input/output error": "about tcp/net0",
		"kernel: mlx5_1: couldn't register ipoib port 1; error -12":                        "about mlx5_1",
	} {
		if a := Read(text); len(a.Entries) == 0 || !strings.Contains(a.Entries[0].Here, want) {
			t.Errorf("%q: %.300q, want %q", text, answeredBy(a), want)
		}
	}
}

// TestBrokenDriverLines: a mail may break a driver's line before its values.
func TestBrokenDriverLines(t *testing.T) {
	a := Read("mlx5_core 0000:41:04.2: mlx5_cmd_out_err:782:(pid 8321):\nCREATE_GENERAL_OBJECT(0xa00) op_mod(0xd) failed, " +
		"status\nbad parameter(0x3), syndrome (0x5fa1c), err(-22)")
	if want := "refused CREATE_GENERAL_OBJECT: bad parameter (0x3)"; len(a.Entries) == 0 ||
		!strings.Contains(a.Entries[0].Here, want) {
		t.Errorf("%.300q, want %q", answeredBy(a), want)
	}
}
