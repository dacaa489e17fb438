package native

import (
	"slices"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/dl"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// TestOldLibrary removes the functions that older libraries lack; the results must stay
// the same.
func TestOldLibrary(t *testing.T) {
	vmtest.Need(t)
	dev, err := New().Open("rxe0")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	d := dev.(*device)
	want, err := d.QueryGIDTable()
	if err != nil || len(want) == 0 {
		t.Fatal(want, err)
	}
	d.lib.queryGIDTable = dl.NegErrnoFunc{}
	byRows, err := d.QueryGIDTable()
	if err != nil || !slices.Equal(byRows, want) {
		t.Errorf("row by row: %v, %v; want %v", byRows, err, want)
	}
	d.lib.queryGIDEx = dl.ErrnoFunc{}
	byFiles, err := d.QueryGIDTable()
	if err != nil || !slices.Equal(byFiles, want) {
		t.Errorf("from sysfs: %v, %v; want %v", byFiles, err, want)
	}

	pd, err := d.AllocPD()
	if err != nil {
		t.Fatal(err)
	}
	defer pd.Close()
	d.lib.regMRIova2 = dl.PointerFunc{}
	mr, err := pd.RegMR(verbs.MRSpec{Length: 1, Access: verbs.LocalWrite | verbs.RelaxedOrdering})
	if err != nil {
		t.Fatalf("without ibv_reg_mr_iova2: %v", err)
	}
	if err := mr.Close(); err != nil {
		t.Error(err)
	}
}

func TestSysfsGIDType(t *testing.T) {
	for _, tt := range []struct {
		word string
		link verbs.LinkLayer
		want verbs.GIDType
	}{
		{"RoCE v2", verbs.LinkEthernet, verbs.GIDTypeRoCEv2},
		{"IB/RoCE v1", verbs.LinkEthernet, verbs.GIDTypeRoCEv1},
		{"IB/RoCE v1", verbs.LinkInfiniBand, verbs.GIDTypeIB},
	} {
		if got := sysfsGIDType(tt.word, tt.link); got != tt.want {
			t.Errorf("%q on %s: %s, want %s", tt.word, tt.link, got, tt.want)
		}
	}
}
