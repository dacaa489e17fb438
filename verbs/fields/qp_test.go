package fields

import (
	"strings"
	"testing"

	"rdmatui/verbs"
)

func TestQPFieldSetAndFormat(t *testing.T) {
	tests := []struct{ field, in, out, err string }{
		{"path_mtu", "1024", "1024", ""},
		{"path_mtu", "1500", "", "not an MTU"},
		{"dest_qp_num", "0x11", "0x000011", ""},
		{"dest_qp_num", "0x1000000", "", "24 bits"},
		{"rq_psn", "16777215", "0xffffff", ""},
		{"dgid", "10.9.0.1", "::ffff:10.9.0.1", ""},
		{"dgid", "00000000000000000000ffff0a090001", "::ffff:10.9.0.1", ""},
		{"dgid", "fe80::1%eth0", "", "not a GID"},
		{"dgid", "\x1b[31m", "", `"\x1b[31m"`},
		{"min_rnr_timer", "31", "31", ""},
		{"min_rnr_timer", "32", "", "at most 31"},
		{"timeout", "-1", "", "not a number"},
		{"retry_cnt", "8", "", "at most 7"},
		{"qp_access_flags", "REMOTE_WRITE|ibv_access_remote_read", "REMOTE_WRITE|REMOTE_READ", ""},
		{"qp_access_flags", "0", "0", ""},
		{"qp_access_flags", "REMOTE_WRIT", "", "unknown access flag"},
		{"qp_state", "rtr", "RTR", ""},
		{"qp_state", "7", "", "unknown qp_state"},
		{"is_global", "1", "1", ""},
		{"is_global", "yes", "", "neither 0 nor 1"},
		{"sgid_index", "256", "", "8 bits"},
		{"pkey_index", "18446744073709551616", "", "too large"},
	}
	for _, tt := range tests {
		t.Run(tt.field+"="+tt.in, func(t *testing.T) {
			f := QPNamed(tt.field)
			if f == nil {
				t.Fatal("no such field")
			}
			var a verbs.QPAttr
			err := f.Set(&a, tt.in)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) ||
					!strings.HasPrefix(err.Error(), tt.field+": ") {
					t.Fatalf("got %v, want an error of %s with %q", err, tt.field, tt.err)
				}
				if a.Mask != 0 {
					t.Errorf("a refused value set the mask to %s", a.Mask)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := f.Format(&a); got != tt.out {
				t.Errorf("got %s, want %s", got, tt.out)
			}
			if a.Mask != f.Bit {
				t.Errorf("mask %s, want %s", a.Mask, f.Bit)
			}
		})
	}
}

func TestQPFieldNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range QP {
		if seen[f.Name] || seen[f.CName] && f.CName != f.Name {
			t.Errorf("%s (%s) is there twice", f.Name, f.CName)
		}
		seen[f.Name] = true
		if f.Format == nil || f.Parse == nil || f.copy == nil {
			t.Errorf("%s lacks a part", f.Name)
		}
	}
}

// Merge copies the fields of the mask's bits and no others.
func TestMerge(t *testing.T) {
	for i := range QP {
		f := &QP[i]
		if f.Max == 0 {
			continue
		}
		src, dst := verbs.QPAttr{}, verbs.QPAttr{Mask: verbs.AttrState}
		if err := f.Set(&src, "1"); err != nil {
			t.Fatal(err)
		}
		if Merge(&dst, &src); f.Format(&dst) != f.Format(&src) || dst.Mask != f.Bit|verbs.AttrState {
			t.Errorf("%s: %+v", f.Name, dst)
		}
		src.Mask = 0
		if dst = (verbs.QPAttr{}); f.Format(&dst) == f.Format(&src) {
			t.Errorf("%s is the zero value", f.Name)
		}
		if Merge(&dst, &src); dst != (verbs.QPAttr{}) {
			t.Errorf("%s was copied without its bit", f.Name)
		}
	}
}

func TestQPFieldDecoded(t *testing.T) {
	a := verbs.QPAttr{Timeout: 14, MinRNRTimer: 12, RNRRetry: 7}
	want := map[string]string{"timeout": "67.1 ms", "min_rnr_timer": "640 µs", "rnr_retry": "for ever", "path_mtu": ""}
	for name, w := range want {
		if got := QPNamed(name).Decoded(&a); got != w {
			t.Errorf("%s: %q, want %q", name, got, w)
		}
	}
}
