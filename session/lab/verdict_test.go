package lab

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"

	"rdmatui/verbs"
)

// TestJudge: a specified result, one of alternatives, a known difference of the driver, and an unexpected result.
func TestJudge(t *testing.T) {
	e, err := Parse("x", "# title: t\n# expect: e\n# says: s\n# clause: c\n# requester: SUCCESS or REM_OP_ERR\n# responder: any\n# event: QP_FATAL\n# states: a=ERR\n"+
		"# differs: rxe 6.4.. event=none; it raises none\n# differs: rxe a=RTS; it stays\n# differs: siw event=PORT_ERR; it is so\n\nquery_qp a\n")
	if err != nil {
		t.Fatal(err)
	}
	rxe, old := Driver{Name: "rxe", Kernel: Kernel{6, 12}}, Driver{Name: "rxe", Kernel: Kernel{6, 1}}
	right := map[string]string{Requester: "SUCCESS", Responder: "anything", Event: "QP_FATAL", "a": "ERR"}
	for name, tt := range map[string]struct {
		driver   Driver
		of, is   string // the one result that differs from the specified ones; "" if it is not observed
		worst    Verdict
		reason   string
		happened string
	}{
		"right":                           {rxe, Requester, "SUCCESS", AsSpecified, "", "SUCCESS"},
		"an alternative":                  {rxe, Requester, "REM_OP_ERR", AsSpecified, "", "REM_OP_ERR"},
		"neither":                         {rxe, Requester, "FLUSH", Unexpected, "", "FLUSH"},
		"any":                             {rxe, Responder, "", AsSpecified, "", None},
		"refused":                         {rxe, Refused, "EINVAL", Unexpected, "", "EINVAL"},
		"known":                           {rxe, Event, "", Differs, "it raises none", None},
		"known for a later kernel":        {old, Event, "", Unexpected, "", None},
		"known for another driver":        {Driver{Name: "siw"}, Event, "", Unexpected, "", None},
		"its own difference":              {Driver{Name: "siw"}, Event, "PORT_ERR", Differs, "it is so", "PORT_ERR"},
		"known for another observation":   {rxe, Requester, None, Unexpected, "", None},
		"a known state":                   {rxe, "a", "RTS", Differs, "it stays", "RTS"},
		"an unknown state":                {rxe, "a", "SQD", Unexpected, "", "SQD"},
		"a state without a specification": {rxe, "b", "RTS", AsSpecified, "", ""},
	} {
		happened := map[string]string{}
		for of, is := range right {
			happened[of] = is
		}
		happened[tt.of] = tt.is
		findings, worst := e.Judge(tt.driver, happened)
		if worst != tt.worst {
			t.Errorf("%s: %s, want %s", name, worst, tt.worst)
		}
		for _, f := range findings {
			switch {
			case f.Of != tt.of && (f.Verdict != AsSpecified || f.Reason != ""):
				t.Errorf("%s: %+v", name, f)
			case f.Of == tt.of && (f.Verdict != tt.worst || f.Reason != tt.reason || f.Happened != tt.happened):
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
	for state, want := range map[verbs.QPState]bool{verbs.QPErr: true, verbs.QPRTS: true, verbs.QPSQD: false} {
		if got := e.Settled(rxe, "a", state); got != want {
			t.Errorf("a may stay in %s: %v", state, got)
		}
		if !e.Settled(rxe, "b", state) {
			t.Errorf("b may not stay in %s", state)
		}
	}
	if f := (Finding{Of: "a"}); f.Label() != "state of a" {
		t.Error(f.Label())
	}
	if f := (Finding{Of: Event}); f.Label() != Event {
		t.Error(f.Label())
	}
}

// TestReadRefuses: Read fails if a file is unreadable or invalid.
func TestReadRefuses(t *testing.T) {
	var unreadable *fs.PathError
	if _, err := Read(fstest.MapFS{"x.rdma/y": {}}); !errors.As(err, &unreadable) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Read(fstest.MapFS{"x.rdma": {Data: []byte("nothing")}}); err == nil ||
		err.Error() != "x.rdma: no blank line ends the head" {
		t.Errorf("no head: %v", err)
	}
	if all, err := Read(fstest.MapFS{"x.text": {Data: []byte("nothing")}}); len(all) != 0 || err != nil {
		t.Errorf("%v, %v", all, err)
	}
}
