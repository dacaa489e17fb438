package abi

import (
	"fmt"
	"testing"
	"unsafe"
)

func TestSlotLoadGuards(t *testing.T) {
	const (
		fn   = 0xbeef
		full = uint64(unsafe.Sizeof(VerbsContext{}))
		// The size of a container whose first member is query_device_ex.
		upToQueryDeviceEx = full - uint64(unsafe.Offsetof(VerbsContext{}.QueryDeviceEx))
	)
	tests := []struct {
		name   string
		vc     VerbsContext
		slot   Slot
		loaded bool
	}{
		{"complete", VerbsContext{QueryPort: fn, Size: full, Context: Context{ABICompat: extended}},
			SlotQueryPort, true},
		{"newer and larger", VerbsContext{QueryPort: fn, Size: full + 64, Context: Context{ABICompat: extended}},
			SlotQueryPort, true},
		{"plain context", VerbsContext{QueryPort: fn, Size: full}, SlotQueryPort, false},
		{"too small by one", VerbsContext{QueryPort: fn, Size: full - 1, Context: Context{ABICompat: extended}},
			SlotQueryPort, false},
		{"empty slot", VerbsContext{Size: full, Context: Context{ABICompat: extended}}, SlotQueryPort, false},
		{"just reaches", VerbsContext{QueryDeviceEx: fn, Size: upToQueryDeviceEx,
			Context: Context{ABICompat: extended}}, SlotQueryDeviceEx, true},
		{"just misses", VerbsContext{QueryDeviceEx: fn, Size: upToQueryDeviceEx - 8,
			Context: Context{ABICompat: extended}}, SlotQueryDeviceEx, false},
		{"size zero", VerbsContext{QueryDeviceEx: fn, Context: Context{ABICompat: extended}}, SlotQueryDeviceEx, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			vc := &tt.vc
			got, ok := tt.slot.Load(&vc.Context)
			if ok != tt.loaded || ok && got != fn {
				t.Errorf("%s.Load = %#x, %v, want loaded %v", tt.slot.Name, got, ok, tt.loaded)
			}
		})
	}
}

func TestSlotsNameTheirMember(t *testing.T) {
	want, _ := readTable(t, tableFor(t))
	for _, s := range []Slot{SlotQueryPort, SlotQueryDeviceEx, SlotCreateCQEx, SlotCreateQPEx, SlotCreateSRQEx,
		SlotModifyCQ, SlotAllocDM, SlotFreeDM, SlotRegDMMR} {
		if got := want["verbs_context."+s.Name]; got != sprintSlot(s) {
			t.Errorf("%s: slot at %s, header says %q", s.Name, sprintSlot(s), got)
		}
	}
}

func sprintSlot(s Slot) string { return fmt.Sprintf("%d 8", -int(s.below)) }
