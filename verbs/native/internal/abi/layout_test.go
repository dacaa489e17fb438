package abi

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// mirror is a Go struct and the C name, or path, that it mirrors.
type mirror struct {
	c    string
	typ  reflect.Type
	base int // added to every offset
	part bool
}

func mirrors() []mirror {
	wr := int(unsafe.Offsetof(SendWR{}.WR))
	tail := int(unsafe.Offsetof(SendWR{}.Tail))
	container := int(unsafe.Offsetof(VerbsContext{}.Context))
	param := int(unsafe.Offsetof(CMEvent{}.Param))
	return []mirror{
		{c: "ibv_device", typ: reflect.TypeFor[Device]()},
		{c: "ibv_context_ops", typ: reflect.TypeFor[ContextOps]()},
		{c: "ibv_context", typ: reflect.TypeFor[Context]()},
		{c: "verbs_context", typ: reflect.TypeFor[VerbsContext](), base: -container, part: true},
		{c: "ibv_device_attr", typ: reflect.TypeFor[DeviceAttr]()},
		{c: "ibv_odp_caps", typ: reflect.TypeFor[ODPCaps]()},
		{c: "ibv_tso_caps", typ: reflect.TypeFor[TSOCaps]()},
		{c: "ibv_rss_caps", typ: reflect.TypeFor[RSSCaps]()},
		{c: "ibv_packet_pacing_caps", typ: reflect.TypeFor[PacketPacingCaps]()},
		{c: "ibv_tm_caps", typ: reflect.TypeFor[TMCaps]()},
		{c: "ibv_cq_moderation_caps", typ: reflect.TypeFor[CQModerationCaps]()},
		{c: "ibv_pci_atomic_caps", typ: reflect.TypeFor[PCIAtomicCaps]()},
		{c: "ibv_device_attr_ex", typ: reflect.TypeFor[DeviceAttrEx]()},
		{c: "ibv_query_device_ex_input", typ: reflect.TypeFor[QueryDeviceExInput]()},
		{c: "ibv_port_attr", typ: reflect.TypeFor[PortAttr]()},
		{c: "ibv_gid_entry", typ: reflect.TypeFor[GIDEntry]()},
		{c: "ibv_pd", typ: reflect.TypeFor[PD]()},
		{c: "ibv_mr", typ: reflect.TypeFor[MR]()},
		{c: "ibv_mw", typ: reflect.TypeFor[MW]()},
		{c: "ibv_dm", typ: reflect.TypeFor[DM]()},
		{c: "ibv_alloc_dm_attr", typ: reflect.TypeFor[AllocDMAttr]()},
		{c: "ibv_values_ex", typ: reflect.TypeFor[ValuesEx]()},
		{c: "ibv_mw_bind_info", typ: reflect.TypeFor[MWBindInfo]()},
		{c: "ibv_mw_bind", typ: reflect.TypeFor[MWBind]()},
		{c: "ibv_comp_channel", typ: reflect.TypeFor[CompChannel]()},
		{c: "ibv_cq", typ: reflect.TypeFor[CQ]()},
		{c: "ibv_srq", typ: reflect.TypeFor[SRQ]()},
		{c: "ibv_qp", typ: reflect.TypeFor[QP]()},
		{c: "ibv_ah", typ: reflect.TypeFor[AH]()},
		{c: "ibv_rx_hash_conf", typ: reflect.TypeFor[RxHashConf]()},
		{c: "ibv_qp_init_attr_ex", typ: reflect.TypeFor[QPInitAttrEx]()},
		{c: "ibv_qp_ex", typ: reflect.TypeFor[QPEx](), part: true},
		{c: "ibv_data_buf", typ: reflect.TypeFor[DataBuf]()},
		{c: "ibv_cq_init_attr_ex", typ: reflect.TypeFor[CQInitAttrEx]()},
		{c: "ibv_poll_cq_attr", typ: reflect.TypeFor[PollCQAttr]()},
		{c: "ibv_cq_ex", typ: reflect.TypeFor[CQEx]()},
		{c: "ibv_qp_cap", typ: reflect.TypeFor[QPCap]()},
		{c: "ibv_qp_init_attr", typ: reflect.TypeFor[QPInitAttr]()},
		{c: "ibv_moderate_cq", typ: reflect.TypeFor[ModerateCQ]()},
		{c: "ibv_modify_cq_attr", typ: reflect.TypeFor[ModifyCQAttr]()},
		{c: "ibv_srq_attr", typ: reflect.TypeFor[SRQAttr]()},
		{c: "ibv_srq_init_attr", typ: reflect.TypeFor[SRQInitAttr]()},
		{c: "ibv_global_route", typ: reflect.TypeFor[GlobalRoute]()},
		{c: "ibv_ah_attr", typ: reflect.TypeFor[AHAttr]()},
		{c: "ibv_grh", typ: reflect.TypeFor[GRH]()},
		{c: "ibv_qp_attr", typ: reflect.TypeFor[QPAttr]()},
		{c: "ibv_sge", typ: reflect.TypeFor[SGE]()},
		{c: "ibv_send_wr", typ: reflect.TypeFor[SendWR]()},
		{c: "ibv_send_wr.wr.rdma", typ: reflect.TypeFor[SendRDMA](), base: wr, part: true},
		{c: "ibv_send_wr.wr.atomic", typ: reflect.TypeFor[SendAtomic](), base: wr, part: true},
		{c: "ibv_send_wr.wr.ud", typ: reflect.TypeFor[SendUD](), base: wr, part: true},
		{c: "ibv_send_wr.bind_mw", typ: reflect.TypeFor[SendBindMW](), base: tail, part: true},
		{c: "ibv_recv_wr", typ: reflect.TypeFor[RecvWR]()},
		{c: "ibv_wc", typ: reflect.TypeFor[WC]()},
		{c: "ibv_async_event", typ: reflect.TypeFor[AsyncEvent]()},
		{c: "sockaddr_in", typ: reflect.TypeFor[SockaddrIn]()},
		{c: "sockaddr_in6", typ: reflect.TypeFor[SockaddrIn6]()},
		{c: "sockaddr_storage", typ: reflect.TypeFor[SockaddrStorage]()},
		{c: "sockaddr_ib", typ: reflect.TypeFor[SockaddrIB]()},
		{c: "rdma_event_channel", typ: reflect.TypeFor[EventChannel]()},
		{c: "rdma_ib_addr", typ: reflect.TypeFor[IBAddr]()},
		{c: "rdma_addr", typ: reflect.TypeFor[RDMAAddr]()},
		{c: "rdma_route", typ: reflect.TypeFor[Route]()},
		{c: "rdma_cm_id", typ: reflect.TypeFor[CMID]()},
		{c: "rdma_addrinfo", typ: reflect.TypeFor[AddrInfo]()},
		{c: "rdma_conn_param", typ: reflect.TypeFor[ConnParam]()},
		{c: "rdma_ud_param", typ: reflect.TypeFor[UDParam]()},
		{c: "rdma_cm_event", typ: reflect.TypeFor[CMEvent]()},
		{c: "rdma_cm_event.param.conn", typ: reflect.TypeFor[ConnParam](), base: param, part: true},
		{c: "rdma_cm_event.param.ud", typ: reflect.TypeFor[UDParam](), base: param, part: true},
	}
}

// lines returns the mirror in the format that layout.c prints.
func (m mirror) lines(t *testing.T) map[string]string {
	out := map[string]string{}
	if !m.part {
		out[m.c+" size"] = strconv.Itoa(int(m.typ.Size()))
		out[m.c+" align"] = strconv.Itoa(m.typ.Align())
	}
	for i := range m.typ.NumField() {
		f := m.typ.Field(i)
		tag := f.Tag.Get("c")
		if tag == "" && f.Name != "_" && f.Tag.Get("later") == "" {
			t.Errorf("%s.%s has no c tag", m.typ, f.Name)
		}
		for name := range strings.SplitSeq(tag, ",") {
			if name != "" {
				out[m.c+"."+name] = fmt.Sprintf("%d %d", int(f.Offset)+m.base, f.Type.Size())
			}
		}
	}
	return out
}

// A C int in a union of pointers is mirrored by an accessor, not by a field.
const portNum = "ibv_async_event.element.port_num"

func TestMirrorsMatchTheHeaders(t *testing.T) {
	want, _ := readTable(t, tableFor(t))
	if want[portNum] != "0 4" {
		t.Errorf("%s = %q, want it at the front of the union", portNum, want[portNum])
	}
	delete(want, portNum)
	got := map[string]string{}
	for _, m := range mirrors() {
		maps.Copy(got, m.lines(t))
	}
	compare(t, "Go", got, "C", want)
}

// TestEnumsAreTheSameEverywhere: the constants of this module are checked against one
// table only.
func TestEnumsAreTheSameEverywhere(t *testing.T) {
	_, amd64 := readTable(t, "testdata/layout_amd64.txt")
	_, arm64 := readTable(t, "testdata/layout_arm64.txt")
	compare(t, "amd64", amd64, "arm64", arm64)
}

// grows names structs that later headers may enlarge; the fields known today keep their
// offsets.
var grows = []string{"ibv_port_attr", "ibv_device_attr_ex"}

func TestTablesMatchTheInstalledHeaders(t *testing.T) {
	table := tableFor(t)
	cc := compilerWithHeaders(t)
	exe := filepath.Join(t.TempDir(), "layout")
	if out, err := exec.Command(cc, "-o", exe, "testdata/layout.c").CombinedOutput(); err != nil {
		t.Fatalf("layout.c needs the headers of libibverbs and librdmacm 44 or later: %v\n%s", err, out)
	}
	printed, err := exec.Command(exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(t.TempDir(), "layout.txt")
	if err := os.WriteFile(fresh, printed, 0o600); err != nil {
		t.Fatal(err)
	}
	gotFields, gotEnums := readTable(t, fresh)
	wantFields, wantEnums := readTable(t, table)
	for _, name := range grows {
		name += " size"
		if size(t, gotFields[name]) >= size(t, wantFields[name]) {
			gotFields[name] = wantFields[name]
		}
	}
	compare(t, "headers", gotFields, "table", wantFields)
	compare(t, "headers", gotEnums, "table", wantEnums)
}

func size(t *testing.T, entry string) int {
	n, err := strconv.Atoi(entry)
	if err != nil {
		t.Fatalf("size entry %q: %v", entry, err)
	}
	return n
}

func compare(t *testing.T, gotName string, got map[string]string, wantName string, want map[string]string) {
	t.Helper()
	if len(want) == 0 {
		t.Fatalf("%s: nothing to compare", wantName)
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if g, ok := got[key]; !ok {
			t.Errorf("%s: in %s only", key, wantName)
		} else if g != want[key] {
			t.Errorf("%s: %s says %s, %s says %s", key, gotName, g, wantName, want[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[key]; !ok {
			t.Errorf("%s: in %s only", key, gotName)
		}
	}
}

// readTable parses the output of layout.c into fields and enumerators.
func readTable(t *testing.T, path string) (fields, enums map[string]string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fields, enums = map[string]string{}, map[string]string{}
	for s := bufio.NewScanner(f); s.Scan(); {
		w := strings.Fields(s.Text())
		switch {
		case len(w) == 4 && w[0] == "enum":
			enums[w[1]+" "+w[2]] = w[3]
		case len(w) == 3 && (w[1] == "size" || w[1] == "align"):
			fields[w[0]+" "+w[1]] = w[2]
		case len(w) == 3:
			fields[w[0]] = w[1] + " " + w[2]
		default:
			t.Fatalf("%s: line %q", path, s.Text())
		}
	}
	return fields, enums
}

func tableFor(t *testing.T) string {
	t.Helper()
	table := "testdata/layout_" + runtime.GOARCH + ".txt"
	if _, err := os.Stat(table); err != nil {
		missing(t, "no table for this architecture: "+err.Error())
	}
	return table
}

func compilerWithHeaders(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the headers are Linux's")
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		missing(t, "no C compiler (cc) to read the headers with")
	}
	for header, pkg := range map[string]string{"infiniband/verbs.h": "libibverbs-dev",
		"rdma/rdma_cma.h": "librdmacm-dev"} {
		probe := exec.Command(cc, "-E", "-o", os.DevNull, "-x", "c", "-")
		probe.Stdin = strings.NewReader("#include <" + header + ">\n")
		if err := probe.Run(); err != nil {
			missing(t, "no "+header+": install "+pkg+" (rdma-core-devel)")
		}
	}
	return cc
}

// missing skips the test, but fails it in CI, where everything must be installed.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(what)
}
