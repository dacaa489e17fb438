package cli

import (
	"runtime"
	"strings"
	"syscall"
	"testing"

	"rdmatui/assets/explain"
	"rdmatui/session/command"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
	"rdmatui/verbs/transition"
)

// wants collects what the program has names for, by the family that must explain it.
type wants map[string][]string

func (w wants) add(family string, names ...string) { w[family] = append(w[family], names...) }

// TestEverythingIsExplained walks the tables of the vocabulary: nothing lacks an entry, nor the fields that its family
// requires.
func TestEverythingIsExplained(t *testing.T) {
	w := wants{}
	w.add("wc_status", verbs.WCStatuses.Names()...)
	w.add("async_event", verbs.EventTypes.Names()...)
	w.add("cm_event", verbs.CMEventTypes.Names()...)
	w.add("reject_reason", verbs.CMRejectReasons.Names()...)
	w.add("wr_opcode", verbs.WROpcodes.Names()...)
	w.add("wc_opcode", verbs.WCOpcodes.Names()...)
	w.add("wc_flag", verbs.WCFlagNames.Names()...)
	w.add("send_flag", verbs.SendFlagNames.Names()...)
	w.add("access", verbs.AccessFlags.Names()...)
	w.add("qp_state", verbs.QPStates.Names()...)
	w.add("qp_type", verbs.QPTypes.Names()...)
	w.add("mig_state", verbs.MigStates.Names()...)
	w.add("device_cap", verbs.DeviceCaps.Names()...)
	w.add("port_cap", verbs.PortCaps.Names()...)
	w.add("port_state", verbs.PortStates.Names()...)
	w.add("phys_state", verbs.PhysStates.Names()...)
	w.add("link_layer", verbs.LinkLayers.Names()...)
	w.add("atomic_cap", verbs.AtomicCaps.Names()...)
	w.add("port_space", verbs.CMPortSpaces.Names()...)
	w.add("cm_option", verbs.CMOptions.Names()...)
	w.add("gid", verbs.GIDTypes.Names()...)
	for m := verbs.MTU256; m <= verbs.MTU4096; m++ {
		w.add("mtu", m.String())
	}
	for i := range fields.Device {
		w.add("device_attr", fields.Device[i].Name)
	}
	for i := range fields.DeviceEx {
		w.add("device_attr_ex", fields.DeviceEx[i].Name)
	}
	for i := range fields.Port {
		w.add("port_attr", fields.Port[i].Name)
	}
	for i := range fields.QP {
		w.add("qp_attr", fields.QP[i].Name)
	}
	for i := range verbs.WCFields {
		w.add("wc_field", verbs.WCFields[i].Name)
	}
	for family, names := range w {
		for _, name := range names {
			if _, ok := explain.Find(family, name); !ok {
				t.Errorf("%s %s is not explained", family, name)
			}
		}
	}
}

// numbered holds the numbers of a family against those of the vocabulary.
func numbered[T verbs.Integer](t *testing.T, family string, e verbs.Enum[T]) {
	t.Helper()
	for _, v := range e.Values() {
		entry, _ := explain.Find(family, e.Name(v))
		if n, ok := entry.Value(); !ok || n != int64(v) {
			t.Errorf("%s %s has the number %d, want %d", family, e.Name(v), n, v)
		}
		if full := e.CName(v); entry.CName != "" && entry.CName != full {
			t.Errorf("%s is called %s, want %s", entry.Name, entry.CName, full)
		}
	}
}

func flagged[T verbs.Integer](t *testing.T, family string, f verbs.Flags[T]) {
	t.Helper()
	for _, name := range f.Names() {
		want, err := f.Parse(name)
		entry, _ := explain.Find(family, name)
		if n, ok := entry.Value(); err != nil || !ok || n != int64(want) {
			t.Errorf("%s %s is the bit 0x%x, want 0x%x (%v)", family, name, n, want, err)
		}
	}
}

func TestNumbersAreThoseOfC(t *testing.T) {
	numbered(t, "wc_status", verbs.WCStatuses)
	numbered(t, "async_event", verbs.EventTypes)
	numbered(t, "cm_event", verbs.CMEventTypes)
	numbered(t, "reject_reason", verbs.CMRejectReasons)
	numbered(t, "wr_opcode", verbs.WROpcodes)
	numbered(t, "wc_opcode", verbs.WCOpcodes)
	numbered(t, "qp_state", verbs.QPStates)
	numbered(t, "qp_type", verbs.QPTypes)
	numbered(t, "mig_state", verbs.MigStates)
	numbered(t, "port_state", verbs.PortStates)
	numbered(t, "phys_state", verbs.PhysStates)
	numbered(t, "link_layer", verbs.LinkLayers)
	numbered(t, "atomic_cap", verbs.AtomicCaps)
	numbered(t, "port_space", verbs.CMPortSpaces)
	numbered(t, "cm_option", verbs.CMOptions)
	numbered(t, "gid", verbs.GIDTypes)
	flagged(t, "wc_flag", verbs.WCFlagNames)
	flagged(t, "send_flag", verbs.SendFlagNames)
	flagged(t, "access", verbs.AccessFlags)
	flagged(t, "device_cap", verbs.DeviceCaps)
	flagged(t, "port_cap", verbs.PortCaps)
}

// TestMaskNamesAreExplained: IBV_QP_TIMEOUT leads to what it brings.
func TestMaskNamesAreExplained(t *testing.T) {
	for _, name := range verbs.AttrMasks.Names() {
		found := false
		for _, e := range explain.Lookup("IBV_QP_" + name) {
			found = found || e.Family == "qp_attr"
		}
		if !found {
			t.Errorf("IBV_QP_%s is not explained", name)
		}
	}
}

// TestTransitionsAreExplained: each pair of states, and of each valid one what it needs, as the table of transitions
// has it.
func TestTransitionsAreExplained(t *testing.T) {
	for _, typ := range []verbs.QPType{verbs.RC, verbs.UC, verbs.UD} {
		for from := verbs.QPReset; from <= verbs.QPErr; from++ {
			for to := verbs.QPReset; to <= verbs.QPErr; to++ {
				move, valid := transition.Find(typ, from, to)
				entry := transitionOf(from, to)
				if entry.Name == "" {
					t.Errorf("%s→%s is not explained", from, to)
				} else if (entry.Name != "no such transition") != valid {
					t.Errorf("%s→%s is explained as %q, valid: %v", from, to, entry.Name, valid)
				}
				if valid {
					checkNeeds(t, typ, move, entry)
				}
			}
		}
	}
}

func transitionOf(from, to verbs.QPState) explain.Entry {
	for _, e := range explain.Lookup(from.String(), to.String()) {
		if e.Family == "transition" {
			return e
		}
	}
	return explain.Entry{}
}

// checkNeeds looks for "RC needs: …" or "RC, UC need: …" with each attribute that is required.
func checkNeeds(t *testing.T, typ verbs.QPType, move transition.Move, e explain.Entry) {
	t.Helper()
	for _, l := range e.Check {
		types, needs, ok := strings.Cut(l, ": ")
		if !ok || !strings.Contains(types, typ.String()) || !strings.Contains(types, " need") {
			continue
		}
		for bit := verbs.AttrMask(1); bit != 0 && bit <= move.Required; bit <<= 1 {
			if move.Required&bit == 0 {
				continue
			}
			name := fields.QPOf(bit)[0].Name
			if bit == verbs.AttrAV {
				name = "ah_attr"
			}
			if !strings.Contains(needs, name) {
				t.Errorf("%s: %q lacks %s", e.Name, l, name)
			}
		}
		if move.Required == 0 && !strings.HasPrefix(needs, "nothing") {
			t.Errorf("%s: %q, but nothing is required", e.Name, l)
		}
		return
	}
	t.Errorf("%s does not say what %s needs", e.Name, typ)
}

// TestErrnos: each errno that this program has a name for, and each verb that a command calls and that can fail.
func TestErrnos(t *testing.T) {
	for no := syscall.Errno(1); no < 200; no++ {
		name := verbs.ErrnoName(no)
		if name == "" {
			continue
		}
		if e, ok := explain.Find("errno", name); !ok {
			t.Errorf("errno %s is not explained", name)
		} else if n, _ := e.Value(); runtime.GOOS == "linux" && n != int64(no) {
			t.Errorf("errno %s has the number %d", name, n)
		}
	}
	explained := map[string]bool{}
	for _, f := range explain.Families() {
		if f.Name != "verb_errno" {
			continue
		}
		for i := range f.Entries {
			verb, errno, _ := strings.Cut(f.Entries[i].Name, " ")
			explained[verb] = true
			if _, ok := explain.Find("errno", errno); !ok {
				t.Errorf("%s: that errno is not explained", f.Entries[i].Name)
			}
		}
	}
	for _, spec := range command.Commands {
		if spec.IsShortForm() {
			continue // it fails with the errno of a command that it carries out, and that command's explanation
		}
		if verb := spec.Verb; verb != "" && !neverFails[verb] && !explained[verb] {
			t.Errorf("no errno of %s is explained", verb)
		}
	}
}

// neverFails are the verbs that return nothing, or an answer of which no value is a failure.
var neverFails = map[string]bool{"ibv_ack_cq_events": true, "rdma_destroy_qp": true, "rdma_freeaddrinfo": true,
	"ibv_query_qp_data_in_order": true}
