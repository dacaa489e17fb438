package verbs

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestTransitionTableIsWhole counts the moves that the kernel's table allows,
// so that a row lost in an edit is noticed.
func TestTransitionTableIsWhole(t *testing.T) {
	want := map[string]string{
		"RESET": "RESET INIT",
		"INIT":  "RESET INIT RTR ERR",
		"RTR":   "RESET RTS ERR",
		"RTS":   "RESET RTS SQD ERR",
		"SQD":   "RESET RTS SQD ERR",
		"SQE":   "RESET RTS ERR",
		"ERR":   "RESET ERR",
	}
	for _, typ := range []QPType{RC, UC, UD} {
		for from := QPReset; from <= QPErr; from++ {
			var got []string
			for _, s := range NextStates(typ, from) {
				got = append(got, s.String())
			}
			if g := strings.Join(got, " "); g != want[from.String()] {
				t.Errorf("%s from %s: %s, want %s", typ, from, g, want[from.String()])
			}
		}
	}
}

func TestCheckTransition(t *testing.T) {
	const rcRTR = AttrState | AttrAV | AttrPathMTU | AttrDestQPN | AttrRQPSN | AttrMaxDestRDAtomic | AttrMinRNRTimer
	tests := []struct {
		name    string
		typ     QPType
		from    QPState
		to      QPState
		mask    AttrMask
		missing AttrMask
		illegal AttrMask
		invalid bool
	}{
		{"RC init", RC, QPReset, QPInit, AttrState | AttrPKeyIndex | AttrPort | AttrAccessFlags, 0, 0, false},
		{"RC init without access", RC, QPReset, QPInit, AttrState | AttrPKeyIndex | AttrPort, AttrAccessFlags, 0, false},
		{"RC init with qkey", RC, QPReset, QPInit, AttrState | AttrPKeyIndex | AttrPort | AttrAccessFlags | AttrQKey, 0, AttrQKey, false},
		{"UD init wants qkey", UD, QPReset, QPInit, AttrState | AttrPKeyIndex | AttrPort | AttrAccessFlags, AttrQKey, AttrAccessFlags, false},
		{"RC rtr", RC, QPInit, QPRTR, rcRTR, 0, 0, false},
		{"UC rtr has no rd_atomic", UC, QPInit, QPRTR, rcRTR, 0, AttrMaxDestRDAtomic | AttrMinRNRTimer, false},
		{"RC rtr lacks psn and av", RC, QPInit, QPRTR, rcRTR &^ (AttrRQPSN | AttrAV), AttrRQPSN | AttrAV, 0, false},
		{"UD rtr takes nothing", UD, QPInit, QPRTR, AttrState, 0, 0, false},
		{"init to rts", RC, QPInit, QPRTS, AttrState | AttrSQPSN, 0, 0, true},
		{"reset to err", RC, QPReset, QPErr, AttrState, 0, 0, true},
		{"anything to err", RC, QPRTS, QPErr, AttrState, 0, 0, false},
		{"err takes no attribute", RC, QPRTS, QPErr, AttrState | AttrSQPSN, 0, AttrSQPSN, false},
		{"sqe back to rts", UD, QPSQE, QPRTS, AttrState | AttrCurState, 0, 0, false},
		{"no state means stay", RC, QPRTS, QPRTS, AttrMinRNRTimer, 0, 0, false},
		{"stay in rtr is no move", RC, QPRTR, QPRTR, AttrMinRNRTimer, 0, 0, true},
		{"other types are not judged", RawPacket, QPReset, QPRTS, AttrState, 0, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := CheckTransition(tt.typ, tt.from, QPAttr{Mask: tt.mask, QPState: tt.to})
			if tt.missing == 0 && tt.illegal == 0 && !tt.invalid {
				if err != nil {
					t.Fatalf("unexpected: %v", err)
				}
				return
			}
			var te *TransitionError
			if !errors.As(err, &te) {
				t.Fatalf("got %v, want a TransitionError", err)
			}
			if te.Missing != tt.missing || te.NotAllowed != tt.illegal || te.Invalid != tt.invalid {
				t.Errorf("missing %s, not allowed %s, invalid %v; want %s, %s, %v",
					te.Missing, te.NotAllowed, te.Invalid, tt.missing, tt.illegal, tt.invalid)
			}
		})
	}
}

func TestTransitionErrorTeaches(t *testing.T) {
	err := CheckTransition(RC, QPInit, QPAttr{Mask: AttrState | AttrQKey | AttrPathMTU, QPState: QPRTR})
	for _, want := range []string{"INIT → RTR", "missing", "ah_attr (dgid", "dest_qp_num", "rq_psn", "not allowed qkey"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err, want)
		}
	}
	err = CheckTransition(RC, QPInit, QPAttr{Mask: AttrState, QPState: QPRTS})
	if want := "from INIT: RESET, INIT, RTR, ERR"; !strings.Contains(err.Error(), want) {
		t.Errorf("%q lacks %q", err, want)
	}
}

// TestEveryMaskBitHasAField keeps the form complete: whatever a transition asks
// for must be something that can be typed.
func TestEveryMaskBitHasAField(t *testing.T) {
	for edge, byType := range transitions {
		for typ, tr := range byType {
			for bit := AttrMask(1); bit <= tr.Allowed(); bit <<= 1 {
				if tr.Allowed()&bit != 0 && len(QPFieldsOf(bit)) == 0 {
					t.Errorf("%s %s → %s: no field brings %s", typ, edge.from, edge.to, bit)
				}
			}
			if both := tr.Required & tr.Optional; both != 0 {
				t.Errorf("%s %s → %s: %s is both required and optional", typ, edge.from, edge.to, both)
			}
		}
	}
}

func ExampleCheckTransition() {
	attr := QPAttr{Mask: AttrState | AttrPKeyIndex, QPState: QPInit}
	fmt.Println(CheckTransition(RC, QPReset, attr))
	// Output: RC RESET → INIT: missing qp_access_flags, port_num
}
