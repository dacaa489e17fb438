package verbs

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestEnumsNameAndParse(t *testing.T) {
	checkEnum(t, QPStates, 8)
	checkEnum(t, QPTypes, 7)
	checkEnum(t, WCStatuses, 24)
	checkEnum(t, WCOpcodes, 20)
	checkEnum(t, WROpcodes, 14)
	checkEnum(t, EventTypes, 21)
	checkEnum(t, GIDTypes, 3)
	checkEnum(t, MigStates, 3)
	checkEnum(t, AtomicCaps, 3)
	checkEnum(t, PortStates, 6)
	checkEnum(t, LinkLayers, 3)
}

func checkEnum[T Integer](t *testing.T, e Enum[T], n int) {
	t.Helper()
	if len(e.names) != n {
		t.Errorf("%s has %d names, want %d", e.kind, len(e.names), n)
	}
	for _, v := range e.Values() {
		for _, text := range []string{e.Name(v), strings.ToLower(e.Name(v)), e.CName(v)} {
			if got, err := e.Parse(text); err != nil || got != v {
				t.Errorf("%s: Parse(%q) = %v, %v", e.kind, text, got, err)
			}
		}
	}
	if got := e.Name(T(99)); got != "unknown(99)" {
		t.Errorf("%s: an unknown value prints as %q", e.kind, got)
	}
	if _, err := e.Parse("NONSENSE"); err == nil || !strings.Contains(err.Error(), e.kind) {
		t.Errorf("%s: %v", e.kind, err)
	}
}

func TestFlagsRoundTrip(t *testing.T) {
	for _, v := range []Access{0, LocalWrite, LocalWrite | RemoteWrite | RelaxedOrdering, 1 << 30, LocalWrite | 1<<15} {
		got, err := AccessFlags.Parse(v.String())
		if err != nil || got != v {
			t.Errorf("%s reads back as %v, %v", v, got, err)
		}
	}
	if got := AccessFlags.CName(LocalWrite | RemoteRead); got != "IBV_ACCESS_LOCAL_WRITE|IBV_ACCESS_REMOTE_READ" {
		t.Error(got)
	}
	if _, err := AccessFlags.Parse("0x100000000"); err == nil {
		t.Error("a number wider than the flag word was taken")
	}
}

func TestFailedCompletionShowsOnlyDefinedFields(t *testing.T) {
	wc := WC{
		WRID: 7, Status: WCRemAccessErr, Opcode: WCRecv, VendorErr: 0x88, ByteLen: 99, ImmData: 5,
		QPNum: 0x11, WCFlags: WCWithImm | WCGRH,
	}
	if got := string(mustJSON(t, wc)); got != `{"wr_id":7,"status":"REM_ACCESS_ERR","vendor_err":136,"qp_num":17}` {
		t.Error(got)
	}
	wc = WC{WRID: 8, Opcode: WCRecv, ByteLen: 5, ImmData: 1, QPNum: 0x12, WCFlags: WCWithImm}
	const want = `{"wr_id":8,"status":"SUCCESS","opcode":"RECV","byte_len":5,"imm_data":1,"qp_num":18,"wc_flags":"WITH_IMM"}`
	if got := string(mustJSON(t, wc)); got != want {
		t.Error(got)
	}
	wc = WC{WRID: 9, Opcode: WCSend, ByteLen: 5, QPNum: 0x12}
	if got := string(mustJSON(t, wc)); strings.Contains(got, "byte_len") {
		t.Errorf("byte_len of a SEND is not defined: %s", got)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
