package explain

import (
	"regexp"
	"strings"
	"testing"
)

// TestFacts keeps statements that were wrong once. Each was read in the source that it names, or seen on a kernel.
func TestFacts(t *testing.T) {
	for _, tt := range []struct {
		family, name string
		says         []string // all of these
		not          []string // none of these
	}{
		// include/rdma/ib_addr.h: iboe_get_mtu takes off 96 bytes of headers; rxe takes off 80 (seen on 6.1: 592 gives
		// 512, 576 gives 256).
		{"mtu", "256", []string{"352"}, nil},
		{"mtu", "512", []string{"608", "rxe of 592", "576 gives 256"}, nil},
		{"mtu", "1024", []string{"1120"}, nil},
		{"mtu", "2048", []string{"2144"}, []string{"2200"}},
		{"mtu", "4096", []string{"4192"}, nil},
		// rxe_param.h: RXE_MAX_PKEYS is 64; seen on 6.1 beside a pkey_tbl_len of 1.
		{"device_attr", "max_pkeys", []string{"rxe says 64"}, []string{"On RoCE 1"}},
		// debian/libibverbs1.symbols: _ibv_query_gid_ex since 32.
		{"verb_errno", "ibv_query_gid_ex EOPNOTSUPP", []string{"before 32"}, []string{"before 33"}},
		// The error lab on rxe: recv-too-small, bad-lkey, local-pd, dereg-in-flight.
		{"wc_status", "LOC_QP_OP_ERR", []string{"owner of a RECV", "longer than the RECV",
			"an lkey that it does not know", "another protection domain"},
			[]string{"the requester alone"}},
		{"wc_status", "REM_OP_ERR", []string{"the SEND is longer than the RECV"}, nil},
		// drivers/infiniband/hw/mlx5/qp.c, mlx5_set_path: eth_prio is sl & 7 for both versions of RoCE.
		{"qp_attr", "sl", []string{"v1 and v2"}, []string{"On RoCE v1 the"}},
		// drivers/infiniband/hw/efa: efa_port_link_layer.
		{"link_layer", "UNSPECIFIED", []string{"EFA"}, []string{"take it for InfiniBand"}},
		// The kernel's qp_state_table: IB_QP_PORT is optional from SQD to SQD.
		{"qp_attr", "port_num", []string{"CHANGE_PHY_PORT", "SQD"}, []string{"Fixed"}},
		// libibverbs/examples/devinfo.c: 256 is 200 Gb/s a lane; verbs.h: active_speed has 8 bits, active_speed_ex 32.
		{"port_attr", "active_speed", []string{"256 XDR", "active_speed_ex"}, nil},
		// providers/mlx5/mlx5dv.h, and the counter in its own words.
		{"vendor_err", "mlx5 0x81", []string{"roce_adp_retrans"}, nil},
		{"counter", "roce_adp_retrans", []string{"adaptive retransmission"}, nil},
		// NCCL user guide.
		{"env", "NCCL_IB_TIMEOUT", []string{"20 unless set", "14 before NCCL 2.14", "18 before 2.23"}, nil},
		{"env", "NCCL_IB_GID_INDEX", []string{"-1, the default", "2.21"}, nil},
		// Read in Linux 6.1 and 6.12 and in rdma-core 44 and 56; each entry's source names the function.
		{"verb_errno", "rdma_listen EINVAL", []string{"already listens", "binds it to the wildcard"},
			[]string{"rdma_bind_addr first"}},
		{"conn_param", "responder_resources", []string{"the peer's initiator_depth"}, []string{"what the peer offers"}},
		{"conn_param", "initiator_depth", []string{"the peer's responder_resources"}, nil},
		{"conn_param", "retry_count", []string{"both queue pairs"}, nil},
		{"counter", "ack_deferred", []string{"responses", "Not late ACKs"}, []string{"sent late"}},
		{"reject_reason", "NO_RESOURCES", []string{"Linux does not send", "UNREACHABLE"}, []string{"allows"}},
		{"cm_status", "UNREACHABLE ETIMEDOUT", []string{"backlog is full", "without a rejection"}, nil},
		{"reject_reason", "CONSUMER_DEFINED", []string{"for another address", "rdma_accept failed"}, nil},
		{"reject_reason", "INVALID_SERVICE_ID", []string{"another device"}, []string{"another address or device"}},
		{"reject_reason", "INVALID_TRANSPORT_TYPE", []string{"CONSUMER_DEFINED"}, nil},
		{"qp_attr", "max_inline_data", []string{"may be more", "rounds up"}, []string{"0 unless"}},
		{"qp_attr", "retry_cnt", []string{"never gives up"}, nil},
		{"verb_errno", "ibv_query_gid ENODATA", []string{"returns 0 and a zero GID"}, nil},
		{"verb_errno", "ibv_reg_mr EPERM", []string{"limit is 0", "CAP_IPC_LOCK", "EINVAL", "EFAULT"},
			[]string{"read-only", "check the access"}},
		{"verb_errno", "rdma_destroy_id EBUSY", []string{"rdmatui's rule", "never returns it"}, nil},
		{"verb_errno", "rdma_destroy_event_channel EBUSY", []string{"rdmatui's rule", "returns nothing"}, nil},
		{"verb_errno", "ibv_close_device EBUSY", []string{"rdmatui's rule", "returns 0"}, nil},
		{"verb_errno", "ibv_req_notify_cq EINVAL", []string{"returns 0", "no event ever comes"}, nil},
		{"verb_errno", "ibv_destroy_qp EBUSY", []string{"the call waits"},
			[]string{"or its events were not acknowledged"}},
		{"verb_errno", "rdma_create_id ENOMEM", []string{"do not count"}, []string{"limit is reached"}},
		{"verb_errno", "rdma_accept ENOENT", []string{"gives EINVAL instead"}, []string{"gave up waiting\n"}},
		// Their relatives: wrong for the same reasons.
		{"verb_errno", "ibv_alloc_pd ENOMEM", nil, []string{"cgroup"}},
		{"verb_errno", "ibv_alloc_pd EAGAIN", []string{"cgroup"}, nil},
		{"verb_errno", "ibv_bind_mw EPERM", []string{"different protection domains"}, []string{"lacks MW_BIND"}},
		{"verb_errno", "rdma_connect ENOTCONN", []string{"does not return this"}, nil},
		{"verb_errno", "rdma_connect ENOMEM", []string{"give EINVAL"}, nil},
		{"verb_errno", "rdma_disconnect EINVAL", []string{"returns 0"}, []string{"the connection ended"}},
		{"verb_errno", "rdma_bind_addr EADDRNOTAVAIL", []string{"wildcard"}, nil},
		{"verb_errno", "rdma_create_event_channel ENODEV", []string{"no RDMA device"}, []string{"rdma_ucm module"}},
		{"verb_errno", "ibv_modify_qp EINVAL", []string{"max_mtu", "packets are lost"}, []string{"empty row"}},
		{"verb_errno", "ibv_create_ah ENODATA", []string{"not in use"}, nil},
	} {
		e, ok := Find(tt.family, tt.name)
		if !ok {
			t.Errorf("%s %s is gone", tt.family, tt.name)
			continue
		}
		text := strings.Join(append(append(append([]string{e.Short, e.Means, e.Notices}, e.Causes...), e.Check...),
			e.Try...), "\n")
		for _, s := range tt.says {
			if !strings.Contains(text, s) {
				t.Errorf("%s %s does not say %q:\n%s", tt.family, tt.name, s, text)
			}
		}
		for _, s := range tt.not {
			if strings.Contains(text, s) {
				t.Errorf("%s %s says %q:\n%s", tt.family, tt.name, s, text)
			}
		}
	}
}

// TestKnownWords: what people ask for by these words is known.
func TestKnownWords(t *testing.T) {
	for ask, want := range map[string]string{
		"NCCL_IB_TIMEOUT": "env", "NCCL_IB_GID_INDEX": "env", "NCCL_IB_HCA": "env", "NCCL_IB_RETRY_CNT": "env",
		"NCCL_IB_TC": "env", "NCCL_IB_SL": "env", "NCCL_SOCKET_IFNAME": "env", "UCX_NET_DEVICES": "env",
		"UCX_TLS": "env", "UCX_IB_GID_INDEX": "env", "FI_PROVIDER": "env", "FI_VERBS_IFACE": "env",
		"rx_prio3_pause": "counter", "tx_prio0_pause": "counter", "rx_discards_phy": "counter",
		"roce_adp_retrans": "counter", "np_cnp_sent": "counter", "rp_cnp_handled": "counter", "trust dscp": "word",
		"reg_dmabuf_mr EOPNOTSUPP": "verb_errno", "nvidia_peermem": "word", "ACS": "word", "GPUDirect": "word",
		"CREATE_QP syndrome": "log", "CQE dump": "log",
		"no userspace device-specific driver found": "log", "NCCL_IB_TIMEOUT=22": "env", "UCX_TLS=rc,sm": "env",
	} {
		found := Lookup(ask)
		if len(found) == 0 || found[0].Family != want {
			t.Errorf("%q finds %d entries, the first of %v, want one of %s", ask, len(found),
				firstOf(Answer{Entries: found}), want)
		}
	}
}

// linuxRejects are the reasons that Linux's connection manager or its programs send; cm.c, cma.c and ucma.c.
var linuxRejects = map[string]bool{"TIMEOUT": true, "INVALID_SERVICE_ID": true, "STALE_CONN": true,
	"INVALID_GID": true, "INVALID_ALT_GID": true, "CONSUMER_DEFINED": true, "VENDOR_OPTION_NOT_SUPPORTED": true}

// TestRejectsOfLinux: a reason that Linux never sends says so.
func TestRejectsOfLinux(t *testing.T) {
	f, err := stores["reject_reason"].family()
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Entries {
		e := &f.Entries[i]
		says := strings.Contains(e.Means, "Linux does not send") ||
			strings.Contains(e.Means, "Linux answers such a request with")
		if says == linuxRejects[e.Name] {
			t.Errorf("%s: that Linux does not send it is said: %v", e.Name, says)
		}
	}
}

// place finds a file and a function in a source, or a document with its section.
var place = regexp.MustCompile(`\w+\.[ch]\b|\(\d\)|IBA [A-Z]?\d|rst\b|driver|IBA annex`)

// TestSources: an entry of these families names where it can be read.
func TestSources(t *testing.T) {
	for _, name := range []string{"verb_errno", "cm_status", "reject_reason", "conn_param", "counter", "qp_attr",
		"transition", "cm_call"} {
		f, err := stores[name].family()
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Entries {
			if e := &f.Entries[i]; !place.MatchString(e.Source) || name == "verb_errno" && e.Source == f.source {
				t.Errorf("%s %s: %q names no file and no section", name, e.Name, e.Source)
			}
		}
	}
}
