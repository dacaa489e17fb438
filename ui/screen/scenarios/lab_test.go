package scenarios

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"rdmatui/session/lab"
	"rdmatui/session/scenario"
	"rdmatui/session/script"
	"rdmatui/ui/uitest"
)

// choose moves the cursor to the only entry that passes the filter.
func choose(t *testing.T, d interface {
	Keys(...string)
	Type(string)
}, text string) {
	t.Helper()
	d.Keys("/")
	d.Type(text)
	d.Keys("enter")
}

// An experiment by keys: in one go, and a step at a time up to its end; none of its
// objects is in the user's session, where objects have the same names.
func TestLabOnSoft(t *testing.T) {
	d, s, sess := onSoft(t)
	sess.Do("open_device soft0", "alloc_pd pd", "create_cq cq")
	until := func(texts ...string) {
		t.Helper()
		d.Await(200, 50, texts...)
	}
	until("error lab", "failures made on purpose")
	choose(t, d, "bad-rkey")
	until("WRITE with an rkey that belongs to no region", "The responder finds no region", "IBA 9.7.4.1.5",
		"rdmatui lab bad-rkey -d soft0", "without a screen")
	d.Keys("enter")
	until("bad-rkey on soft0", "as specified; recovered. All its objects are destroyed.", labTitle,
		"requester  REM_ACCESS_ERR", "event      QP_ACCESS_ERR b", "state of a ERR", "REM_ACCESS_ERR: ")
	d.Keys("esc", "s")
	until("step 1 of", labTitle, "The responder finds no region")
	if own := s.Field("own"); own != "" {
		t.Errorf("an experiment's other end is started by %q", own)
	}
	for range 13 {
		d.Keys("space")
	}
	if n := len(sess.Snapshot().Objects); n != 3 {
		t.Errorf("%d objects in the session of the user", n)
	}
	d.Keys("b")
	until("as specified; recovered. All its objects are destroyed.")
	d.Keys("esc", "K", "s", "space", "esc")
	until("Stopped. All its objects are destroyed")
}

// The step that fails on purpose is red although the experiment went as specified, and
// E explains the failure; for an ordinary line E explains the command.
func TestFailingStep(t *testing.T) {
	for _, tt := range []struct {
		name, row string
		explained map[string]string // by line
	}{
		{"bad-rkey", `✗ +\d+ +poll_cq cq timeout=5s`, map[string]string{
			"poll_cq cq timeout": "REM_ACCESS_ERR", "expect async": "QP_ACCESS_ERR", "expect mem": "expect mem",
			"alloc_pd": "alloc_pd"}},
		{"missing-attribute", `✗ +\d+ +expect error modify_qp a RTR`,
			map[string]string{"expect error": "ibv_modify_qp EINVAL"}},
	} {
		d, s, _ := onSoft(t)
		choose(t, d, tt.name)
		d.Keys("enter")
		d.Await(200, 60, "as specified; recovered")
		if view := d.View(200, 60); !regexp.MustCompile(tt.row).MatchString(view) {
			t.Errorf("%s: no red step:\n%s", tt.name, view)
		}
		for begins, want := range tt.explained {
			d.Explained = nil
			s.script.SetCursor(slices.IndexFunc(s.st.lines, func(l script.Line) bool {
				return strings.HasPrefix(l.Text, begins)
			}))
			if d.Keys("E"); !slices.Equal(d.Explained, []string{want}) {
				t.Errorf("%s: E on %s explains %q, not %s", tt.name, begins, d.Explained, want)
			}
		}
	}
}

// A difference is shown with the specification and its reason, and a refused call with
// its line.
func TestLabTold(t *testing.T) {
	d, s, _ := onSoft(t)
	choose(t, d, "recv-too-small")
	d.Keys("enter")
	d.Await(200, 50, "recovered")
	exp, err := lab.Find("recv-too-small")
	if err != nil {
		t.Fatal(err)
	}
	res := lab.Result{Driver: "rxe", Back: "recovered"}
	res.Findings, res.Verdict = exp.Judge(lab.Driver{Name: "rxe"},
		map[string]string{lab.Requester: "REM_OP_ERR", lab.Responder: "SUCCESS", "a": "ERR", "b": "ERR"})
	s.st.outcome = &res
	view := d.View(200, 50)
	for _, want := range []string{"REM_INV_REQ_ERR", "~ REM_OP_ERR", "copy_data", "SUCCESS", "unexpected; recover"} {
		if want == "copy_data" {
			if strings.Contains(view, want) {
				t.Error("a reason is told of what did not happen")
			}
			continue
		}
		if !strings.Contains(view, want) {
			t.Errorf("no %q in\n%s", want, view)
		}
	}
	if !strings.Contains(view, "treats a RECV that is too small") {
		t.Errorf("no reason in\n%s", view)
	}
}

// The heading is not an experiment.
func TestLabHeading(t *testing.T) {
	d, s, _ := onSoft(t)
	for range scenario.All {
		d.Keys("down")
	}
	d.Await(200, 50, "Failures made on purpose between two queue pairs")
	d.Keys("enter", "s", "o", "b", "e")
	if s.running() {
		t.Error("it runs")
	}
}

func TestLabGolden(t *testing.T) {
	for name, keys := range map[string][]string{"heading": {"esc"}, "chosen": nil, "ended": {"enter"},
		"compared": {"s", "b", "]", "]"}} {
		for size, wh := range bodies {
			run(t, plain, func(x *bench) {
				choose(t, x, map[bool]string{true: theLab, false: "recv-too-small"}[name == "heading"])
				x.Keys(keys...)
				uitest.Golden(x.t, name+"-"+size, x.View(wh[0], wh[1]))
				uitest.Exact(t, x.View(wh[0], 5), wh[0], 5)
			})
		}
	}
}
