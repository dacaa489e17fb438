package explain

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns is how long a line of the files may be.
const maxColumns = 100

func TestFiles(t *testing.T) {
	for _, name := range fileNames() {
		if _, err := stores[name].family(); err != nil {
			t.Fatal(err)
		}
		content, err := files.ReadFile(name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range strings.Split(string(content), "\n") {
			if n := utf8.RuneCountInString(l); n > maxColumns {
				t.Errorf("%s.txt:%d has %d columns, more than %d", name, i+1, n, maxColumns)
			}
			if strings.TrimRight(l, " \t\r") != l || strings.Contains(l, "\t") {
				t.Errorf("%s.txt:%d: blanks at the end, or a tab", name, i+1)
			}
		}
	}
}

// known are the values that who calls Fill may have.
var known = []string{"qp", "cq", "srq", "port", "peer", "status", "state", "opcode", "lkey", "rkey", "remote_addr",
	"length", "room", "dest_qp_num",
	"dgid", "path_mtu", "timeout", "timeout_n", "retry_cnt", "rnr_retry", "min_rnr_timer", "total", "retries",
	"asked", "value", "memlock"}

// TestEntries: no name twice in a family, no number twice, and no value that nobody has.
func TestEntries(t *testing.T) {
	for _, f := range Families() {
		names, numbers := map[string]bool{}, map[int64]string{}
		for i := range f.Entries {
			e := &f.Entries[i]
			if names[e.Name] {
				t.Errorf("%s has %s twice", f.Name, e.Name)
			}
			names[e.Name] = true
			if other := numbers[e.Number]; e.Numbered && other != "" {
				t.Errorf("%s: %s and %s have the number %d", f.Name, other, e.Name, e.Number)
			}
			if e.Numbered {
				numbers[e.Number] = e.Name
			}
			for _, w := range e.Wants() {
				if !slices.Contains(known, w) && !strings.HasPrefix(w, "attr:") {
					t.Errorf("%s %s wants {%s}, which nobody has", f.Name, e.Name, w)
				}
			}
			if found := Lookup(e.Ask()); !has(found, f.Name, e.Name) {
				t.Errorf("%q does not find %s %s", e.Ask(), f.Name, e.Name)
			}
		}
	}
}

func has(found []Entry, family, name string) bool {
	return slices.ContainsFunc(found, func(e Entry) bool { return e.Family == family && e.Name == name })
}

// TestNames: whatever name a program can meet is known, in the family that it belongs to, in lower case too.
func TestNames(t *testing.T) {
	list, err := os.ReadFile("testdata/names.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for l := range strings.Lines(string(list)) {
		if strings.HasPrefix(l, "#") {
			continue
		}
		family, name, _ := strings.Cut(strings.TrimSpace(l), " ")
		n++
		for _, spelled := range []string{name, strings.ToLower(name), strings.ReplaceAll(name, "_", "-")} {
			if found := Lookup(spelled); !slices.ContainsFunc(found, func(e Entry) bool { return e.Family == family }) {
				t.Errorf("%s: nothing of %s is found", spelled, family)
			}
		}
	}
	if n < 300 {
		t.Errorf("the list has %d names only", n)
	}
}

func TestLookup(t *testing.T) {
	for _, tt := range []struct{ ask, want string }{
		{"wc 12", "wc_status RETRY_EXC_ERR"},
		{"status 12", "wc_status RETRY_EXC_ERR"},
		{"status 0xc", "wc_status RETRY_EXC_ERR"},
		{"RETRY_EXC", "wc_status RETRY_EXC_ERR"},
		{"IB_WC_RETRY_EXC_ERR", "wc_status RETRY_EXC_ERR"},
		{"transport retry counter exceeded", "wc_status RETRY_EXC_ERR"},
		{"vendor_err 129", "vendor_err mlx5 0x81"},
		{"soft0-cm", "word device-cm"},
		{"mlx5_3-cm", "word device-cm"},
		{"vendor err 129", "vendor_err mlx5 0x81"},
		{"mlx5 0x81", "vendor_err mlx5 0x81"},
		{"vendor_err 7", "vendor_err unknown=7"},
		{"errno 12", "errno ENOMEM"},
		{"-110", "errno ETIMEDOUT"},
		{"status -110", "errno ETIMEDOUT"},
		{"modify_qp EINVAL", "verb_errno ibv_modify_qp EINVAL"},
		{"ibv_modify_qp 22", "verb_errno ibv_modify_qp EINVAL"},
		{"ibv_modify_qp: Invalid argument", "verb_errno ibv_modify_qp EINVAL"},
		{"RTR", "qp_state RTR"},
		{"INIT RTR", "transition INIT→RTR"},
		{"INIT→RTR", "transition INIT→RTR"},
		{"init -> rtr", "transition INIT→RTR"},
		{"UD INIT to RTR", "qp_type UD, transition INIT→RTR"},
		{"timeout 14", "qp_attr timeout=14"},
		{"path_mtu 1024", "mtu 1024"},
		{"mtu 3", "mtu 1024"},
		{"access 0x3", "access LOCAL_WRITE, access REMOTE_WRITE"},
		{"REMOTE_WRITE|REMOTE_READ", "access REMOTE_WRITE, access REMOTE_READ"},
		{"IBV_QP_TIMEOUT", "qp_attr timeout"},
		{"reason 28", "reject_reason CONSUMER_DEFINED"},
		{"what is an rkey?", "word rkey"},
		{"SEND", "wc_opcode SEND, wr_opcode SEND"},
		{"12", "async_event PKEY_CHANGE, cm_event MULTICAST_JOIN, errno ENOMEM, reject_reason INVALID_GID, wc_status RETRY_EXC_ERR"},
		{"status 12, vendor err 129", "wc_status RETRY_EXC_ERR, vendor_err mlx5 0x81"},
		{"Failed status transport retry counter exceeded (12) for wr_id 0", "wc_status RETRY_EXC_ERR"},
		{"Completion with error at client\n Failed status 12: wr_id 0 syndrom 0x81",
			"wc_status RETRY_EXC_ERR, log perftest waits for completions, vendor_err mlx5 0x81"},
		{"mlx5_0:1/IB (synd 0x15 vend 0x81 hw_synd 0/0)",
			"wc_status RETRY_EXC_ERR, cqe_syndrome TRANSPORT_RETRY_EXC_ERR, vendor_err mlx5 0x81"},
		{"", ""},
		{"status 99", "wc_field status=99"},
		{"9999", ""},
		{"foo", ""},
		{"foo rkey", ""},
		{"\x1b[31m", ""},
		{strings.Repeat("status 12 ", 10000), "wc_status RETRY_EXC_ERR"},
	} {
		var got []string
		for _, e := range Lookup(tt.ask) {
			text := e.Family + " " + e.Name
			if e.Asked != "" {
				text += "=" + e.Asked
			}
			got = append(got, text)
		}
		if text := strings.Join(got, ", "); text != tt.want {
			t.Errorf("%.60q finds %q, want %q", tt.ask, text, tt.want)
		}
	}
}

// TestLookupOfAll: a word that only says what is meant asks for all of that.
func TestLookupOfAll(t *testing.T) {
	for word, least := range map[string]int{"mtu": 5, "status": 24, "modify_qp": 8, "vendor_err": 20, "reason": 34} {
		if n := len(Lookup(word)); n < least {
			t.Errorf("%s finds %d entries, want %d at least", word, n, least)
		}
	}
}

func TestUnknown(t *testing.T) {
	for ask, want := range map[string]string{"foo": "foo", "foo rkey": "foo", "rkey": "",
		"status 12 bla": "", "9999": "9999"} {
		if got := Unknown(ask); got != want {
			t.Errorf("Unknown(%q) = %q, want %q", ask, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	for word, want := range map[string]string{"retyr_exc_err": "RETRY_EXC_ERR", "IBV_WC_RETRY_EXC_ER": "RETRY_EXC_ERR",
		"retry_cont": "retry_cnt",
		"memloc":     "memlock"} {
		if got := Nearest(word, 3); len(got) == 0 || !slices.Contains(got, want) {
			t.Errorf("near %q: %q, want %q among them", word, got, want)
		}
	}
	if got := Nearest(strings.Repeat("x", 1000), 3); got != nil {
		t.Errorf("near a long word: %q", got)
	}
}

func FuzzLookup(f *testing.F) {
	for _, s := range []string{"status 12", "0x", "-", "- 5", "access -1", "access 9223372036854775807", "→",
		"a\x00b", "\xff\xfe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, e := range Lookup(s) {
			if e.Name == "" || e.Short == "" {
				t.Errorf("%q finds an entry without name or text", s)
			}
		}
		Unknown(s)
		Nearest(s, 3)
	})
}
