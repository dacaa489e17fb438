package explain

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"unicode/utf16"

	"rdmatui/verbs/verbstest/race"
)

// logCase is a text of testdata/logs.txt and the entry that must be its first answer.
type logCase struct{ want, text string }

func logCases(t testing.TB) (cases []logCase) {
	content, err := os.ReadFile("testdata/logs.txt")
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(content)) {
		l = strings.TrimSuffix(l, "\n")
		switch want, text, found := strings.Cut(l, " | "); {
		case l == "" || l[0] == '#':
		case l[0] == ' ':
			cases[len(cases)-1].text += "\n" + l
		case !found:
			t.Fatalf("testdata/logs.txt: %q has no answer", l)
		default:
			cases = append(cases, logCase{want, text})
		}
	}
	return cases
}

// TestLogs: what is pasted from a log is answered by what it tells.
func TestLogs(t *testing.T) {
	cases := logCases(t)
	for _, c := range cases {
		a := Read(c.text)
		if len(a.Entries) == 0 {
			t.Errorf("%.100q: nothing, want %s", c.text, c.want)
			continue
		}
		if got := a.Entries[0].Family + " " + a.Entries[0].Name; got != c.want {
			t.Errorf("%.100q: %s, want %s", c.text, got, c.want)
		}
	}
	if len(cases) < 50 {
		t.Errorf("%d texts only", len(cases))
	}
}

// TestLogsInSurroundings: what stands before a line in a journal, and lines around it that tell nothing, change no
// answer.
func TestLogsInSurroundings(t *testing.T) {
	race.Needless(t)
	const noise = "node7:2188:2299 [3] NCCL INFO Channel 03/08 : 1[1] -> 2[2] via P2P/IPC\n"
	for _, c := range logCases(t) {
		for name, text := range map[string]string{
			"journal": "Nov 22 07:14:11 node7 app[2188]: " +
				strings.ReplaceAll(c.text, "\n", "\nNov 22 07:14:11 node7 app[2188]: "),
			"rank":           "[1,30]<stderr>:" + strings.ReplaceAll(c.text, "\n", "\n[1,30]<stderr>:"),
			"lines around":   noise + c.text + "\n" + noise,
			"carriage":       strings.ReplaceAll(c.text, "\n", "\r\n") + "\r\n",
			"colours":        "\x1b[1;31m" + c.text + "\x1b[0m",
			"twice":          c.text + "\n" + c.text,
			"in upper case":  strings.ToUpper(c.text),
			"a long history": strings.Repeat(noise, 10) + c.text,
		} {
			a := Read(text)
			if len(a.Entries) == 0 || a.Entries[0].Family+" "+a.Entries[0].Name != c.want {
				t.Errorf("%s: %.80q: %v, want %s", name, c.text, firstOf(a), c.want)
			}
		}
	}
}

func firstOf(a Answer) string {
	if len(a.Entries) == 0 {
		return "nothing"
	}
	return a.Entries[0].Family + " " + a.Entries[0].Name
}

// TestLogNumbers: the same number is a status, an errno or a reason by what stands around it; numbers that say nothing
// of these are taken for none.
func TestLogNumbers(t *testing.T) {
	for line, want := range map[string]string{
		"Got completion with error 12, opcode 0, len 0, vendor err 129":                                          "wc_status RETRY_EXC_ERR, vendor_err mlx5 0x81",
		"Got completion with error 12, opcode 1, len 12, vendor err 0":                                           "wc_status RETRY_EXC_ERR",
		"ibv_modify_qp failed with error 12":                                                                     "verb_errno ibv_modify_qp ENOMEM",
		"RDMA_CM_EVENT_REJECTED, error: -1, status 28":                                                           "reject_reason CONSUMER_DEFINED, cm_event REJECTED",
		"RDMA_CM_EVENT_REJECTED, status -111":                                                                    "cm_status REJECTED ECONNREFUSED, cm_event REJECTED",
		"RDMA_CM_EVENT_ADDR_ERROR, error -19":                                                                    "cm_status ADDR_ERROR ENODEV, cm_event ADDR_ERROR",
		"RDMA_CM_EVENT_ROUTE_ERROR, error -22":                                                                   "cm_event ROUTE_ERROR, errno EINVAL",
		"got RDMA_CM_EVENT_CONNECT_ERROR while we waited":                                                        "cm_event CONNECT_ERROR",
		"the device said wr_id 12 len 4 qp_num 19 it was":                                                        "",
		"program ended with exit status 12":                                                                      "",
		"frame 12 of 110, 22 seconds":                                                                            "",
		"CQE status=10 on bnxt_re0 vendor_err=0xa qp 5":                                                          "wc_status REM_ACCESS_ERR, vendor_err bnxt_re=0xa",
		"work completion status 99 of wr_id 4 here":                                                              "",
		"ibv_post_send returned 12 for wr_id 22":                                                                 "verb_errno ibv_post_send ENOMEM",
		"ibv_create_qp_ex() failed, errno 95":                                                                    "verb_errno ibv_create_qp EOPNOTSUPP",
		"rdma_create_id: No such device, giving up":                                                              "errno ENODEV",
		"NCCL INFO NCCL_IB_TIMEOUT set by environment to 22.":                                                    "env NCCL_IB_TIMEOUT=22",
		"ibv_reg_dmabuf_mr failed with error Operation not supported":                                            "verb_errno ibv_reg_dmabuf_mr EOPNOTSUPP",
		"modify_qp failed with 110, curr state INIT, next state RTR":                                             "verb_errno ibv_modify_qp ETIMEDOUT, transition INIT→RTR",
		"fi_eq_readerr: err: Connection timed out (110), prov_err: x":                                            "cm_status UNREACHABLE ETIMEDOUT",
		"mlx5_core: CREATE_QP(0x500) op_mod(0x0) failed, status limits exceeded(0x8), syndrome (0x12), err(-12)": "log mlx5 CREATE_QP failed, verb_errno ibv_create_qp ENOMEM",
		"infiniband hns_0: error cqe status 0x12:":                                                               "wc_status REM_INV_REQ_ERR, cqe_syndrome REMOTE_INVAL_REQ_ERR",
		"polling ended with RECEIVER NOT READY RETRY EXCEEDED ERROR":                                             "wc_status RNR_RETRY_EXC_ERR",
		"the driver gave up, rc 0xffffffea":                                                                      "errno EINVAL",
		"failed to create the RC QP: Invalid argument":                                                           "verb_errno ibv_create_qp EINVAL",
		"ibv_poll_cq failed with error 12":                                                                       "wc_status RETRY_EXC_ERR",
		"RDMA_CM_EVENT_UNREACHABLE, error -1":                                                                    "cm_event UNREACHABLE",
		"got RDMA_CM_EVENT_REJECTED, expected RDMA_CM_EVENT_ESTABLISHED, status 8":                               "reject_reason INVALID_SERVICE_ID, cm_event REJECTED",
		"00000000 00000005 00000000 00000000 and no end of a completion":                                         "",
		"completion error, opcode 12, len 10, wr_id 4 here":                                                      "log A completion failed",
		"completion error, status 0, wr_id 4 here":                                                               "log A completion failed",
		"the completion failed, wc_status 0, vendor_err 0x81 of mlx5":                                            "vendor_err mlx5 0x81",
		"completion of wr_id 4 came, wc_status 0 as it must":                                                     "wc_status SUCCESS",
		"wr_id 1 came with status 12 vend_err 0x81":                                                              "wc_status RETRY_EXC_ERR, vendor_err mlx5 0x81",
		"wr_id 1 came with status 12 vend_err 81":                                                                "wc_status RETRY_EXC_ERR, vendor_err mlx5 0x81",
		strings.Repeat("x ", 5000) +
			"Failed status 12: wr_id 0": "wc_status RETRY_EXC_ERR",
		"iser: waiting for RDMA_CM_EVENT_ESTABLISHED, got RDMA_CM_EVENT_UNREACHABLE here": "cm_event UNREACHABLE",
		"unexpected CM event 77 and no more":                                              "log Unexpected CM event",
		"CQ error on CQN 0x12, syndrome 0x1":                                              "async_event CQ_ERR",
		"failed: assertion wc.status == IBV_WC_SUCCESS, 12 vs 0":                          "wc_status RETRY_EXC_ERR",
		"async event type 3 on port 10":                                                   "async_event QP_ACCESS_ERR",
		"Failed to create a completion queue\nnothing\nError: Invalid argument":           "verb_errno ibv_create_cq EINVAL, verb_call ibv_create_cq, verb_errno ibv_create_cq EOPNOTSUPP, verb_errno ibv_create_cq ENOMEM, verb_errno ibv_create_cq EAGAIN",
		"Failed to create a QP\nError: Cannot allocate memory":                            "verb_errno ibv_create_qp ENOMEM, log Unable to create QP",
		"Failed to create a QP\nmodule y: Cannot allocate memory":                         "log Unable to create QP, errno ENOMEM",
		"Failed to create a CQ" + strings.Repeat("\nx", maxApart) +
			"\nError: Invalid argument": "verb_call ibv_create_cq, errno EINVAL, verb_errno ibv_create_cq EINVAL, " +
			"verb_errno ibv_create_cq EOPNOTSUPP, verb_errno ibv_create_cq ENOMEM, verb_errno ibv_create_cq EAGAIN",
		"event 12 of 40 handled, device eth0 and port 4":                    "",
		"nginx: bind() to 0.0.0.0:80 failed (98: Address already in use)":   "errno EADDRINUSE",
		"rdma.c: failed to bind: Address already in use":                    "verb_errno rdma_bind_addr EADDRINUSE",
		"nvmet_rdma: accept after create_qp failed: Cannot allocate memory": "verb_errno ibv_create_qp ENOMEM",
		"x_cma_handler: unreachable (7): status -110 id 0012":               "cm_status UNREACHABLE ETIMEDOUT, cm_event UNREACHABLE",
		"x_cma_handler: established (9): status 0 id 0012":                  "cm_event ESTABLISHED",
		"Network::RegisterMemoryRegion returned NULL for it":                "log Couldn't allocate MR",
		"Failed status 1\n2: wr_id 0 syndrom 0x81":                          "wc_status RETRY_EXC_ERR, vendor_err mlx5 0x81",
		"infiniband bnxt_re0: modify_qp to INIT failed: -110":               "errno ETIMEDOUT, transition RESET→INIT",
		"make failed: the job ended with status 12":                         "",
		"NET/IB: failed: vendor err 129 and nothing else was printed":       "vendor_err mlx5 0x81",
	} {
		var got []string
		for _, e := range Read(line).Entries {
			text := e.Family + " " + e.Name
			if e.Asked != "" {
				text += "=" + e.Asked
			}
			got = append(got, text)
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%.100q: %q, want %q", line, text, want)
		}
	}
}

// TestLogWithoutErrno: a verb that failed without an errno leads to what it does, and to the errnos that it is known to
// return; 1 and -1 are none.
func TestLogWithoutErrno(t *testing.T) {
	for _, line := range []string{"main.c:12: ibv_modify_qp failed here",
		"main.c: ibv_modify_qp failed and returned -1", "error: ibv_modify_qp returned 1 to us"} {
		a := Read(line)
		if !a.Log || len(a.Entries) < 8 || firstOf(a) != "verb_call ibv_modify_qp" ||
			a.Entries[1].Name != "ibv_modify_qp EINVAL" {
			t.Errorf("%q: log %v, %d entries, first %s", line, a.Log, len(a.Entries), firstOf(a))
		}
	}
	if a := Read("main.c:12: ibv_modify_qp was called here"); len(a.Entries) > 0 {
		t.Errorf("nothing failed: %s", firstOf(a))
	}
}

// TestLogFirst: of several lines the one that failed first is answered, and those with headings of their own are not
// joined.
func TestLogFirst(t *testing.T) {
	for text, want := range map[string]string{
		"E0302 09:15:07.9 7 a.cpp:81] Failed to open device mlx5_1 on port with GID -1\n" +
			"E0302 09:15:07.9 7 a.cpp:65] Disable device": "verb_call ibv_open_device",
		"librdmacm: Warning: couldn't read ABI version.\nlibrdmacm: Warning: assuming: 4": "message librdmacm: " +
			"Warning: couldn't read ABI version.",
	} {
		if got := firstOf(Read(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestLogOrder: what tells a cause comes before what follows from it, whatever came first; each has the line that it
// was found in.
func TestLogOrder(t *testing.T) {
	const flushed = "Got completion with error 5, opcode 0, len 0, vendor err 249\n"
	a := Read("\n" + flushed + flushed + "Call to x failed : Connection reset by peer\n" +
		"Got completion with error 12, opcode 0, len 0, vendor err 129\n")
	var got []string
	for _, e := range a.Entries {
		got = append(got, e.Name+"@"+string(rune('0'+e.Line)))
	}
	if text := strings.Join(got, " "); text != "RETRY_EXC_ERR@5 ECONNRESET@4 WR_FLUSH_ERR@2 mlx5 0xf9@2 mlx5 0x81@5" {
		t.Error(text)
	}
	if !a.Log {
		t.Error("that is a log")
	}
}

// TestLogUnknownBefore: the first entry names a line that failed before it and is unknown, and no other such line.
func TestLogUnknownBefore(t *testing.T) {
	const unknown, known = "mlx5_0: the frobnicator failed", "ibv_modify_qp failed with error No such device"
	const begins, ends = "the frobnicator of mlx5_0 failed with ibv_modify_qp: No such", "device"
	for text, says := range map[string]bool{
		unknown + "\n" + known:       true,
		known + "\n" + unknown:       false,
		"\n" + begins + "\n" + ends:  false, // one line that was wrapped
		known:                        false,
		"nothing failed\n" + known:   false,
		unknown + ", INFO\n" + known: false, // no warning
	} {
		a := Read(text)
		if firstOf(a) != "verb_errno ibv_modify_qp ENODEV" {
			t.Errorf("%q: %s", text, firstOf(a))
			continue
		}
		if here := a.Entries[0].Here; strings.Contains(here, "failed first") != says {
			t.Errorf("%q: says %q", text, here)
		}
	}
}

// TestLogCalm: what stands in a line that is no warning comes after causes and errnos, whatever came first. A warning
// with the same answer counts as one.
func TestLogCalm(t *testing.T) {
	const device, memory = "ibv_modify_qp failed with error No such device\n", "ibv_reg_mr: Cannot allocate memory\n"
	for _, tt := range []struct{ text, want string }{
		{"INFO " + device + memory,
			"ibv_reg_mr ENOMEM@2, ibv_modify_qp ENODEV@1"},
		{"INFO " + device + "\nit said: Connection timed out\n",
			"ETIMEDOUT@3, ibv_modify_qp ENODEV@1"},
		{"INFO " + device + device + memory,
			"ibv_modify_qp ENODEV@2, ibv_reg_mr ENOMEM@3"},
		{device + "app: " + device + "INFO " + device + memory,
			"ibv_modify_qp ENODEV@1, ibv_reg_mr ENOMEM@4"},
		{"INFO " + device + "INFO " + memory,
			"ibv_modify_qp ENODEV@1, ibv_reg_mr ENOMEM@2"},
		{"INFO " + device + "INFO NCCL_IB_TIMEOUT set to 3\n",
			"NCCL_IB_TIMEOUT@2, ibv_modify_qp ENODEV@1"},
		{"INFO " + device + "\nGot completion with error 5\n",
			"WR_FLUSH_ERR@3, ibv_modify_qp ENODEV@1"},
		{"INFO completion with error 12, vendor err 129\n" + "INFO " + device,
			"RETRY_EXC_ERR@1, ibv_modify_qp ENODEV@2, mlx5 0x81@1"},
	} {
		var got []string
		for _, e := range Read(tt.text).Entries {
			got = append(got, fmt.Sprintf("%s@%d", e.Name, e.Line))
		}
		if names := strings.Join(got, ", "); names != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, names, tt.want)
		}
	}
}

// TestUTF16: a log in UTF-16 of either byte order, with the mark of the byte order or without it, is read as one in
// UTF-8; pairs that UTF-8 may have by chance are not.
func TestUTF16(t *testing.T) {
	const text = "node7 app: ibv_modify_qp failed with error No such device\r\n"
	for name, bytesOf := range map[string]func(u uint16) []byte{
		"little endian": func(u uint16) []byte { return []byte{byte(u), byte(u >> 8)} },
		"big endian":    func(u uint16) []byte { return []byte{byte(u >> 8), byte(u)} },
	} {
		for _, mark := range []string{"", "\ufeff"} {
			var b []byte
			for _, u := range utf16.Encode([]rune(mark + text)) {
				b = append(b, bytesOf(u)...)
			}
			a, err := ReadFrom(bytes.NewReader(b))
			if err != nil || firstOf(a) != "verb_errno ibv_modify_qp ENODEV" {
				t.Errorf("%s, mark %q: %s, %v", name, mark, firstOf(a), err)
			}
			if text, err := io.ReadAll(decoded(bytes.NewReader(b))); err != nil ||
				!strings.HasPrefix(string(text), "node7 ") {
				t.Errorf("%s, mark %q: read as %.20q, %v", name, mark, text, err)
			}
		}
	}
	for _, other := range []string{"a\x00\x00b\x00\x00cc", "\x00a", "plain text", "a\x00bcdefghijk"} {
		if text, err := io.ReadAll(decoded(strings.NewReader(other))); err != nil || string(text) != other {
			t.Errorf("%q is read as %q, %v", other, text, err)
		}
	}
}

// TestShapesAreBounded: the shapes of a log of which no two lines are alike need bounded memory, and the last of them
// are known.
func TestShapesAreBounded(t *testing.T) {
	s := shapes{}
	for i := range uint64(1 << 17) {
		s.put(i, "")
	}
	if len(s) != 1<<17 {
		t.Errorf("%d of 131,072 are kept", len(s))
	}
	s.put(1<<17, "ibv_modify_qp")
	if verb := s[1<<17]; len(s) != 1 || verb != "ibv_modify_qp" {
		t.Errorf("%d are kept, the last with %q", len(s), verb)
	}
}

// TestHostileLogs: whatever a text consists of, the answer is bounded, and a line behind it is still read as far as the
// limit goes.
func TestHostileLogs(t *testing.T) {
	race.Needless(t)
	const told = "\nibv_modify_qp failed with error No such device\n"
	for name, text := range map[string]string{
		"a long line":       strings.Repeat("x", 1<<17),
		"a long line of 5s": strings.Repeat("5 ", 1<<14),
		"control":           strings.Repeat("\x00\x07\x1b[2J\x9b", 3000),
		"invalid UTF-8":     strings.Repeat("\xff\xfe\xc0", 3000),
		"right to left":     strings.Repeat("\u202e\u2066", 3000),
		"empty lines":       strings.Repeat("\n", 1<<17),
		"commas":            strings.Repeat(",", 1<<17),
		"one word":          strings.Repeat("failed_", 1<<14),
		"minus":             strings.Repeat("-", 1<<17),
		"numbers":           strings.Repeat("status -9223372036854775808 error 9223372036854775807 ", 1<<9),
	} {
		a := Read(text + told)
		if got := firstOf(a); got != "verb_errno ibv_modify_qp ENODEV" {
			t.Errorf("%s: %s", name, got)
		}
	}
	everything := strings.Builder{}
	for _, n := range Names() {
		everything.WriteString(n + " status 3 error -110\n")
	}
	if a := Read(everything.String()); len(a.Entries) != maxFindings {
		t.Errorf("%d entries, at most %d", len(a.Entries), maxFindings)
	}
	if a := Read(strings.Repeat("\n", 8<<20) + told); firstOf(a) != "verb_errno ibv_modify_qp ENODEV" {
		t.Errorf("at the end of a long text: %s", firstOf(a))
	}
}

// TestSeeLeadsToEntries: the reader of logs shows what see names.
func TestSeeLeadsToEntries(t *testing.T) {
	seen := 0
	for _, f := range Families() {
		for i := range f.Entries {
			see := f.Entries[i].raw.see
			if see == "" {
				continue
			}
			seen++
			family, name, _ := strings.Cut(see, " ")
			if _, ok := Find(family, name); !ok {
				t.Errorf("%s %s: there is no %s", f.Name, f.Entries[i].Name, see)
			}
		}
	}
	if seen < 10 {
		t.Errorf("%d entries say see", seen)
	}
}

func TestPatterns(t *testing.T) {
	for _, tt := range []struct {
		pattern, line string
		want          bool
	}{
		{"failed modify qp", "we FAILED to modify a QP here", true},
		{"failed modify qp", "modify qp failed", false},
		{"fail* qp|queue", "failure of the queue", true},
		{"fail* qp|queue", "fall of the queue", false},
		{"a b", "a" + strings.Repeat(" x", maxGap) + " b", true},
		{"a b", "a" + strings.Repeat(" x", maxGap+1) + " b", false},
		{"a b c", "a x a b c", true},
		{"io_page_fault", "[IO_PAGE_FAULT domain=1]", true},
	} {
		p, err := parsePattern(tt.pattern)
		if got := err == nil && p.matches(tokens(tt.line)); got != tt.want {
			t.Errorf("%q and %q: %v, want %v (%v)", tt.pattern, tt.line, got, tt.want, err)
		}
	}
	for _, bad := range []string{"", "!errno", "Two", "a,b c", "a||b", "*"} {
		if _, err := parsePattern(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// FuzzRead: any text is answered by whole entries, not too many, and what is echoed of it is a number.
func FuzzRead(f *testing.F) {
	for _, c := range logCases(f) {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a := Read(s)
		if len(a.Entries) > maxFindings && a.Log {
			t.Errorf("%d entries", len(a.Entries))
		}
		lines := strings.Count(s, "\n") + 1
		for _, e := range a.Entries {
			if e.Name == "" || e.Short == "" || e.Line < 0 || e.Line > lines {
				t.Errorf("%q: entry %q of line %d", s, e.Name, e.Line)
			}
			if strings.ContainsFunc(e.Asked, func(r rune) bool { return r < ' ' || r > '~' && r < 0xa0 }) {
				t.Errorf("%q: echoes %q", s, e.Asked)
			}
		}
	})
}

// TestQuietLines: lines in which nothing failed are answered by nothing, whatever numbers and names they have.
func TestQuietLines(t *testing.T) {
	content, err := os.ReadFile("testdata/quiet.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(string(content)) {
		if line[0] == '#' {
			continue
		}
		lines++
		if a := Read(line); len(a.Entries) > 0 {
			t.Errorf("%q: %s", line, firstOf(a))
		}
	}
	if lines < 40 {
		t.Errorf("%d lines only", lines)
	}
}

// TestErrnoAtEnd: a number that ends a line of which nothing else is known may be an errno; a small one is the
// program's own.
func TestErrnoAtEnd(t *testing.T) {
	for line, want := range map[string]string{
		"mlx5_0: zorp frobnicator failed with error 110": "ETIMEDOUT",
		"mlx5_0: zorp frobnicator failed with error 5":   "",
		"mlx5_0: zorp frobnicator failed at status 110":  "",
	} {
		a, err := ReadFrom(strings.NewReader(line + "\n"))
		got := ""
		if err == nil && len(a.Entries) > 0 {
			got = a.Entries[0].Name
		}
		if got != want {
			t.Errorf("%q: %q, want %q, %v", line, got, want, err)
		}
	}
}
