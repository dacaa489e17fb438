package export

import (
	"os"
	"slices"
	"strings"
	"testing"

	"rdmatui/session/command"
)

// neverMissed are the arguments whose object a line does not need: the line makes it, another one is used instead, or
// the line is not exported.
var neverMissed = map[string][]string{
	"open_device": {"device"}, "query_gid": {"device"}, "create_cq": {"device"},
	"rdma_create_event_channel": {"device"}, "rdma_get_cm_event": {"channel"},
	"input": {"while"}, "fault": {"device"}, "capture": {"device"}, "cq_mode": {"cq"},
	"connect_qps": {"qp", "peer"}, "reject_all": {"id"},
}

// TestMissingObject: a line that names a missing object is left out, with the reason, and changes nothing else.
func TestMissingObject(t *testing.T) {
	const missing = "\t/* missing */\n\t/* Not in this program: nosuch was not created in it. */\n\n"
	text, err := os.ReadFile("testdata/variants.rdma")
	if err != nil {
		t.Fatal(err)
	}
	all := recordingOf(t, strings.Split(string(text), "\n"), func(int, *Step) {})
	var some Recording
	inserted := 0
	for _, step := range all.Steps {
		for _, v := range step.Full.Values {
			if v.Arg.Type != command.Object || slices.Contains(neverMissed[step.Cmd.Spec.Name], v.Arg.Name) {
				continue
			}
			changed := *step
			changed.Full = step.Full.With(v.Arg.Name, "nosuch")
			changed.Done.Line = "missing"
			some.Steps = append(some.Steps, &changed)
			inserted++
		}
		some.Steps = append(some.Steps, step)
	}
	want, got := C(all), C(some)
	if n := strings.Count(got, missing); n != inserted || n < 100 {
		t.Errorf("%d of %d lines left out", n, inserted)
	}
	if got := strings.ReplaceAll(got, missing, ""); got != want {
		t.Errorf("the rest differs: %s", firstDifference(want, got))
	}
}
