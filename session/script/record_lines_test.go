package script_test

import (
	"strings"
	"testing"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/export"
	"rdmatui/session/script"
	"rdmatui/session/sessiontest"
)

// TestRecordedLines: each line of a script is recorded once, as it was given, with whether the session came to it.
func TestRecordedLines(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	err := s.RunScript(t.Context(), "f", strings.NewReader(`open_device
alloc_pd pd
loop 2
note a
reg_mr m pd=nobody length=8
note b
loop 3
note c
end
end
`))
	if err == nil {
		t.Fatal("a line without its domain does not fail")
	}
	rec, err := script.Recording(s.Core())
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.Steps) != 3 || len(rec.Steps[2].Inner) != 4 || len(rec.Steps[2].Inner[3].Inner) != 1 {
		t.Fatalf("%+v", rec.Steps)
	}
	body := rec.Steps[2].Inner
	for i, tt := range []struct {
		step        *export.Step
		spec        *command.Spec
		line        string // as it ran
		ran, failed bool
		times       uint64
	}{
		{rec.Steps[0], command.OpenDevice, "open_device", true, false, 1},
		{rec.Steps[1], command.AllocPD, "alloc_pd pd", true, false, 1},
		{rec.Steps[2], command.Loop, "loop 2", true, false, 0},
		{body[0], command.Note, "note a", true, false, 1},
		{body[1], command.RegMR, "reg_mr m pd=nobody length=8", true, true, 0},
		{body[2], command.Note, "", false, false, 0},
		{body[3], command.Loop, "", false, false, 0},
		{body[3].Inner[0], command.Note, "", false, false, 0},
	} {
		if got := tt.step; got.Cmd.Spec != tt.spec || got.Done.Line != tt.line || got.Ran != tt.ran || got.Asked &&
			got.Done.Err != "" ||
			(got.Done.Err != "") != tt.failed || got.Times != tt.times || got.Stopped || got.Later != nil {
			t.Errorf("%d: %+v", i, got)
		}
	}
}
