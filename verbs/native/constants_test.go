package native

import (
	_ "embed"
	"strconv"
	"strings"
	"testing"

	"rdmatui/verbs"
)

// layout has lines "enum TYPE NAME VALUE" for the enumerators of the headers, which are
// the same on each architecture. Groups without a name in C have one of ours:
// link_layer, port_flags, access_range, device_cap_flags_ex, address_family,
// rdma_option, rdma_limit.
//
//go:embed internal/abi/testdata/layout_amd64.txt
var layout string

// enumerator is one name of a C enum with its value.
type enumerator struct {
	Name  string
	Value int64
}

// newer lists names that rdma-core 44, the source of the table, does not have yet.
var newer = map[string]bool{
	"IBV_WC_FLUSH": true, "IBV_WC_ATOMIC_WRITE": true, "IBV_WR_FLUSH": true, "IBV_WR_ATOMIC_WRITE": true,
	"RDMA_CM_EVENT_ADDRINFO_RESOLVED": true, "RDMA_CM_EVENT_ADDRINFO_ERROR": true, "RDMA_CM_EVENT_USER": true,
	"RDMA_CM_EVENT_INTERNAL": true, "IBV_EVENT_DEVICE_SPEED_CHANGE": true, "IBV_ACCESS_FLUSH_GLOBAL": true,
	"IBV_ACCESS_FLUSH_PERSISTENT": true, "IBV_QP_EX_WITH_FLUSH": true, "IBV_DEVICE_FLUSH_GLOBAL": true,
	"IBV_DEVICE_FLUSH_PERSISTENT": true, "IBV_DEVICE_ATOMIC_WRITE": true,
}

func checkValue(t *testing.T, cname string, value int64) {
	t.Helper()
	want, ok := int64(0), false
	for _, v := range enumerators(t, "") {
		if v.Name == cname {
			want, ok = v.Value, true
		}
	}
	switch {
	case !ok && !newer[cname]:
		t.Errorf("the headers have no %s", cname)
	case ok && want != value:
		t.Errorf("%s is %d, in C %d", cname, value, want)
	}
}

// checkEnum checks our names against C's, and C's against ours.
func checkEnum[T verbs.Integer](t *testing.T, c string, e verbs.Enum[T]) {
	t.Helper()
	for _, v := range e.Values() {
		checkValue(t, e.CName(v), int64(v))
	}
	for _, v := range enumerators(t, c) {
		if got := e.CName(T(v.Value)); got != v.Name && !strings.HasSuffix(v.Name, "_UNSPECIFIED") {
			t.Errorf("%s = %d is called %s", v.Name, v.Value, got)
		}
	}
}

func checkFlags[T verbs.Integer](t *testing.T, c string, f verbs.Flags[T]) {
	t.Helper()
	for bit := range 40 {
		if v := T(1) << bit; v != 0 && !strings.HasPrefix(f.Name(v), "0x") {
			checkValue(t, f.CName(v), int64(1)<<bit)
		}
	}
	for _, v := range enumerators(t, c) {
		if got := f.CName(T(v.Value)); got != v.Name {
			t.Errorf("%s = 0x%x is called %s", v.Name, v.Value, got)
		}
	}
}

// enumerators returns those of a C enum; of all enums for "".
func enumerators(t *testing.T, c string) (list []enumerator) {
	t.Helper()
	for line := range strings.Lines(layout) {
		if w := strings.Fields(line); w[0] == "enum" && (c == "" || w[1] == c) {
			value, err := strconv.ParseInt(w[3], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, enumerator{w[2], value})
		}
	}
	if list == nil {
		t.Fatalf("no enum %s", c)
	}
	return list
}

func TestConstantsMatchTheHeaders(t *testing.T) {
	checkEnum(t, "ibv_qp_state", verbs.QPStates)
	checkEnum(t, "ibv_qp_type", verbs.QPTypes)
	checkEnum(t, "ibv_mig_state", verbs.MigStates)
	checkEnum(t, "ibv_wc_status", verbs.WCStatuses)
	checkEnum(t, "ibv_wc_opcode", verbs.WCOpcodes)
	checkEnum(t, "ibv_wr_opcode", verbs.WROpcodes)
	checkEnum(t, "ibv_event_type", verbs.EventTypes)
	checkFlags(t, "ibv_qp_create_send_ops_flags", verbs.SendOpFlags)
	checkEnum(t, "ibv_port_state", verbs.PortStates)
	checkEnum(t, "ibv_gid_type", verbs.GIDTypes)
	checkEnum(t, "ibv_atomic_cap", verbs.AtomicCaps)
	checkEnum(t, "link_layer", verbs.LinkLayers)
	checkEnum(t, "rdma_cm_event_type", verbs.CMEventTypes)
	checkEnum(t, "rdma_port_space", verbs.CMPortSpaces)
	checkEnum(t, "address_family", verbs.AddrFamilies)
	checkEnum(t, "gai_error", verbs.AddrInfoErrors)
	for _, o := range verbs.CMOptions.Values() {
		checkValue(t, verbs.CMOptions.CName(o), int64(o))
	}
	checkFlags(t, "ibv_access_flags", verbs.AccessFlags)
	checkEnum(t, "ibv_mw_type", verbs.MWTypes)
	checkFlags(t, "ibv_rereg_mr_flags", verbs.ReregFlagNames)
	checkFlags(t, "ibv_send_flags", verbs.SendFlagNames)
	checkFlags(t, "ibv_wc_flags", verbs.WCFlagNames)
	checkFlags(t, "ibv_create_cq_wc_flags", verbs.CQWCFlagNames)
	checkFlags(t, "ibv_qp_attr_mask", verbs.AttrMasks)
	checkFlags(t, "rdma_addrinfo_flags", verbs.AddrInfoFlagNames)
	checkFlags(t, "ibv_device_cap_flags", verbs.DeviceCaps)
	checkFlags(t, "ibv_port_cap_flags", verbs.PortCaps)
	checkValue(t, "IBV_SRQ_MAX_WR", int64(verbs.SRQMaxWR))
	checkValue(t, "IBV_SRQ_LIMIT", int64(verbs.SRQLimit))
	checkValue(t, "IBV_REREG_MR_ERR_DO_FORK_OLD", int64(reregErrDoForkOld))
	checkValue(t, "IBV_REREG_MR_ERR_CMD", int64(reregErrCmd))
	for m := verbs.MTU256; m <= verbs.MTU4096; m++ {
		checkValue(t, m.CName(), int64(m))
	}
	for v, name := range nodeTypes {
		checkValue(t, "IBV_NODE_"+name, int64(v))
	}
	if len(nodeTypes) != len(enumerators(t, "ibv_node_type"))-1 ||
		len(transports) != len(enumerators(t, "ibv_transport_type"))-1 {
		t.Error("a node type or a transport has no name") // except -1, unknown
	}
}
