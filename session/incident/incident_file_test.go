package incident_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/wire"
)

// refused is a WRITE with an unknown rkey, after a SEND and a READ that succeed.
const refused = sessiontest.Loopback + `
recorder on
post_recv b wr_id=7 sge=dst
post_send a SEND wr_id=1 sge=src:0:1500
poll_cq cq n=2 timeout=20s
post_send a RDMA_READ wr_id=2 sge=src:0:2500 remote_addr=dst.addr rkey=dst.rkey
poll_cq cq timeout=20s
note "the next one fails"
sleep 10ms
post_send a RDMA_WRITE wr_id=4 sge=src:0:64 remote_addr=dst.addr rkey=0x1234
poll_cq cq timeout=20s
`

// withIncident plays refused and writes its incident.
func withIncident(t *testing.T, check func(s *session.Session, list []sessiontest.Commented, about, document string)) {
	synctest.Test(t, func(t *testing.T) {
		s := session.New(core.Options{Providers: []verbs.Provider{sessiontest.SoftInOrder()}})
		defer s.Close()
		sessiontest.RunScript(t, s, refused)
		synctest.Wait() // the asynchronous event has been read
		name := filepath.Join(t.TempDir(), "x")
		sessiontest.RunScript(t, s, fmt.Sprintf("save_incident %q", name))
		list, about, document := sessiontest.ReadBack(t, name)
		check(s, list, about, document)
	})
}

// TestIncidentFile: each packet of a request has a comment that names it, the events of the time line are comments of
// the next packet, and the document relates requests, packets and completions.
func TestIncidentFile(t *testing.T) {
	withIncident(t, func(s *session.Session, list []sessiontest.Commented, about, document string) {
		if !strings.HasPrefix(about, "wr_id 4 of a failed with REM_ACCESS_ERR: rkey 0x1234 belongs to no region of b") {
			t.Errorf("the file is said to hold %q", about)
		}
		requests := map[string]int{}
		var all []string
		for i := range list {
			for _, c := range list[i].Remarks {
				if name, _, ok := strings.Cut(c, ": "); ok && strings.HasPrefix(name, "wr_id ") {
					requests[c]++
				}
			}
			all = append(all, list[i].Remarks...)
		}
		for text, want := range map[string]int{
			"wr_id 1 of a: SEND of 1,500 bytes":      6, // both packets and the answer, each as sent and received
			"wr_id 2 of a: RDMA_READ of 2,500 bytes": 8,
			"wr_id 4 of a: RDMA_WRITE of 64 bytes":   4,
			"wr_id 7 of b: RECV (inferred)":          2,
		} {
			if requests[text] != want {
				t.Errorf("%d packets of %q, want %d", requests[text], text, want)
			}
		}
		joined := strings.Join(all, "\n")
		for _, want := range []string{" note: the next one fails", " post: wr_id 4 of a", "status=REM_ACCESS_ERR",
			" event: QP_ACCESS_ERR", " state: qp b: RTS to ERR", " command: open_device soft0"} {
			if strings.Count(joined, want) != 1 {
				t.Errorf("%q in comments: %d times", want, strings.Count(joined, want))
			}
		}
		for _, want := range []string{
			"# wr\\_id 4 of a failed with REM\\_ACCESS\\_ERR\n\n**Cause:** rkey 0x1234 belongs to no region of b",
			"| 4 | a | RDMA\\_WRITE | 64 | 15–18 | known | REM\\_ACCESS\\_ERR at ",
			"| 7 | b | RECV | 1,500 | 3–4 | inferred | SUCCESS at ",
			"## Objects", "## Devices", "## Counters that changed on all devices", "access\\_err +1", "## Time line",
			"## Packets of the file",
		} {
			if !strings.Contains(document, want) {
				t.Errorf("the document lacks %q", want)
			}
		}
	})
}

// TestIncidentFileOfHeads: the packets from before the recording began are there without payload, once, with their
// links.
func TestIncidentFileOfHeads(t *testing.T) {
	for _, tt := range []struct {
		name, before string // recording begins before this line
		cropped      int    // of 18 packets
	}{{"never", "", 18}, {"late", "post_send a RDMA_READ", 6}} {
		t.Run(tt.name, func(t *testing.T) {
			s, name := sessiontest.NewSoft(t, core.Options{}), filepath.Join(t.TempDir(), "x")
			lines := strings.Replace(refused, "\nrecorder on", "", 1)
			if tt.before != "" {
				lines = strings.Replace(lines, tt.before, "sleep 20ms\nrecorder on\n"+tt.before, 1)
			}
			sessiontest.RunScript(t, s, lines)
			sessiontest.RunScript(t, s, fmt.Sprintf("save_incident %q", name))
			list, _, document := sessiontest.ReadBack(t, name)
			cropped, linked := 0, 0
			for i := range list {
				if f := &list[i]; f.Cut() {
					cropped++
					if f.Err != nil || f.Len != len(f.Data)+wire.ICRCLen && len(f.Data) != verbs.PacketHeadLen {
						t.Errorf("packet %d: %d of %d bytes, %v", i+1, len(f.Data), f.Len, f.Err)
					}
				}
				if len(list[i].Remarks) > 0 && strings.HasPrefix(list[i].Remarks[0], "wr_id ") {
					linked++
				}
			}
			if len(list) != 18 || cropped != tt.cropped || linked != len(list) {
				t.Errorf("%d packets, %d cropped, %d linked", len(list), cropped, linked)
			}
			if want := fmt.Sprintf("- packets without payload: %d:", tt.cropped); !strings.Contains(document, want) {
				t.Errorf("the document lacks %q", want)
			}
		})
	}
}

// TestIncidentFileOrder: an event is a comment of the first packet after it.
func TestIncidentFileOrder(t *testing.T) {
	withIncident(t, func(s *session.Session, list []sessiontest.Commented, _, _ string) {
		start := s.Core().Start
		for i := range list {
			for _, c := range list[i].Remarks {
				var at float64
				if _, err := fmt.Sscanf(c, "%f s ", &at); err != nil {
					continue
				}
				when := time.Duration(at * float64(time.Second))
				if after := list[i].At.Sub(start) + time.Microsecond; when > after && i < len(list)-1 {
					t.Errorf("packet %d at %v: %s", i+1, after, c)
				}
				if i > 0 && when+time.Microsecond < list[i-1].At.Sub(start) {
					t.Errorf("packet %d comes after packet %d, and so does %s", i+1, i, c)
				}
			}
		}
	})
}

// TestIncidentFileWithTshark: Wireshark's reader finds the same comments, and no malformed packet.
func TestIncidentFileWithTshark(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("needs tshark")
	}
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, refused)
	name := filepath.Join(t.TempDir(), "x")
	sessiontest.RunScript(t, s, fmt.Sprintf("save_incident %q", name))
	list, _, _ := sessiontest.ReadBack(t, name)
	command := exec.CommandContext(t.Context(), tshark, "-r", name+".pcapng", "-T", "fields", "-E", "aggregator=/s",
		"-e", "_ws.malformed", "-e", "frame.comment")
	command.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(list) {
		t.Fatalf("%d packets, want %d", len(lines), len(list))
	}
	for i := range list {
		if want := "\t" + strings.Join(list[i].Remarks, " "); lines[i] != want {
			t.Errorf("packet %d: %q, want %q", i+1, lines[i], want)
		}
	}
}

// TestIncidentFileRefused: lines that cannot be carried out leave no file.
func TestIncidentFileRefused(t *testing.T) {
	s, dir := sessiontest.NewSoft(t, core.Options{}), t.TempDir()
	path := filepath.Join(dir, "x")
	if err := os.WriteFile(path+".md", []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ line, want string }{
		{"save_incident " + path, "x.md already exists"},
		{"save_incident " + path + "y incident=3", "incident 3 is not kept; there was none"},
		{"save_incident " + path + "y incident=0", "numbered from 1"},
		{`save_incident ""`, "file has an empty value"},
		{"save_incident " + dir + "/.md", "a file name is missing"},
		{"save_incident " + dir + "/none/x", "no such file"},
		{"recorder memory=0", "out of range: 1 to 4096 MiB"},
		{"recorder memory=5000", "out of range: 1 to 4096 MiB"},
	} {
		if _, err := s.Exec(t.Context(), tt.line); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.line, err, tt.want)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	if text, err := os.ReadFile(path + ".md"); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestIncidentFileWithoutPackets: if no packets were recorded, the events are in the comment of the file; without a
// failure the newest minutes are written.
func TestIncidentFileWithoutPackets(t *testing.T) {
	s, name := sessiontest.NewSoft(t, core.Options{}), filepath.Join(t.TempDir(), "x")
	sessiontest.RunScript(t, s, fmt.Sprintf("open_device soft0\nsave_incident %q", name+".pcapng"))
	list, about, document := sessiontest.ReadBack(t, name)
	if len(list) != 0 || !strings.HasPrefix(about, "Recorded from ") ||
		!strings.Contains(about, " command: open_device soft0: ") {
		t.Errorf("%d packets, %q", len(list), about)
	}
	if !strings.HasPrefix(document, "# Recorded from ") || !strings.Contains(document, "not recorded") {
		t.Errorf("%s", document)
	}
}

// TestIncidentFileIsHarmless: names and texts from outside reach neither file with control characters, and bounded.
func TestIncidentFileIsHarmless(t *testing.T) {
	s, name := sessiontest.NewSoft(t, core.Options{}), filepath.Join(t.TempDir(), "x\x1b]0;y\a|z")
	sessiontest.RunScript(t, s, refused)
	for _, text := range []string{"a\x1b[2J\x9bb\u202ec\nd|e", "<script>", strings.Repeat("long ", 40000), "\xff\xfe"} {
		s.Core().Note(timeline.LevelWarn, "%s", text)
	}
	sessiontest.Execute(t, s, "save_incident "+`"`+strings.NewReplacer("\x1b", `\x1b`, "\a", `\x07`).Replace(name)+`"`)
	list, about, document := sessiontest.ReadBack(t, name)
	texts := []string{about, document}
	for i := range list {
		texts = append(texts, list[i].Remarks...)
		for _, c := range list[i].Remarks {
			if len(c) > 700 {
				t.Errorf("a comment of %d bytes", len(c))
			}
		}
	}
	for _, text := range texts {
		if strings.ContainsAny(text, "\x1b\x07\u009b\u202e\x00") || strings.Contains(text, "<script>") &&
			text == document || !utf8Valid(text) {
			t.Errorf("%.200q", text)
		}
	}
	if strings.Count(document, "long ") > 200 {
		t.Error("a long note is in the document as a whole")
	}
}

func utf8Valid(text string) bool { return strings.ToValidUTF8(text, "") == text }

// TestIncidentsWrittenAutomatically: as many failures as were asked for are written, without a command.
func TestIncidentsWrittenAutomatically(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s := session.New(core.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
		s.WriteIncidents(dir, 1)
		sessiontest.RunScript(t, s, refused)
		files := func() []string {
			names, err := filepath.Glob(filepath.Join(dir, "incident-*-*.*"))
			if err != nil {
				t.Fatal(err)
			}
			return names
		}
		if names := files(); len(names) != 0 {
			t.Errorf("written before the events that follow: %v", names)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if names := files(); len(names) != 2 || !strings.HasSuffix(names[0], "-1.md") ||
			!strings.HasSuffix(names[1], "-1.pcapng") {
			t.Fatalf("%v", names)
		}
		sessiontest.RunScript(t, s, "modify_qp a RESET\nmodify_qp b RESET\nconnect_qps a b\npost_send a RDMA_WRITE sge=src:0:8 remote_addr=1 rkey=1\npoll_cq cq timeout=20s")
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if names := files(); len(names) != 2 {
			t.Errorf("the second failure was written, too: %v", names)
		}
		told := false
		for _, e := range s.Timeline().Snapshot() {
			told = told || e.Note != nil && strings.HasPrefix(e.Note.Text, "incident 1, ") &&
				strings.Contains(e.Note.Text, " written to "+dir)
		}
		if !told {
			t.Error("no note names the files")
		}
	})
}

// TestIncidentWrittenAtClose: closing the session does not lose a failure that is about to be written, and a restricted
// session writes none.
func TestIncidentWrittenAtClose(t *testing.T) {
	for _, restricted := range []bool{false, true} {
		dir := t.TempDir()
		s := session.New(core.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}, NoFiles: restricted})
		s.WriteIncidents(dir, 5)
		sessiontest.RunScript(t, s, refused)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		want := 2
		if restricted {
			want = 0
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != want {
			t.Errorf("restricted %v: %v, %v", restricted, entries, err)
		}
	}
}
