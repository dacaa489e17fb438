package devices

import (
	"testing"
)

// TestTallyIsBounded: a device with many users does not exhaust memory.
func TestTallyIsBounded(t *testing.T) {
	owners := tally{}
	for pid := range uint32(maxResources + 2) {
		owners.add(owner{pid: pid}, "qp")
		owners.add(owner{pid: pid}, "qp")
	}
	users := owners.users()
	if len(users) != maxResources || users[0].Counts["qp"] != 2 {
		t.Errorf("%d users, want %d; the first has %v", len(users), maxResources, users[0].Counts)
	}
}

// TestNameProcesses keeps the kernel's objects and known names.
func TestNameProcesses(t *testing.T) {
	sys := plant(t, "bare")
	for pid, name := range map[string]string{"0": "nobody", "1": "init"} {
		sys.write(t, "/proc/"+pid+"/comm", name+"\n")
	}
	r := Resources{Users: []User{{PID: 0}, {PID: 1}, {PID: 1, Comm: "known"}}}
	r.nameProcesses(sys)
	for i, want := range []string{"", "init", "known"} {
		if r.Users[i].Comm != want {
			t.Errorf("%+v, want %q", r.Users[i], want)
		}
	}
}
