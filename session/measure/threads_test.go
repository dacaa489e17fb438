package measure

import (
	"fmt"
	"slices"
	"testing"
	"testing/fstest"
	"time"
)

// stat is a line of a thread's stat file.
func stat(tid int, name string, user, sys uint64, cpu int) *fstest.MapFile {
	return &fstest.MapFile{Data: fmt.Appendf(nil, "%d (%s) R 1 1 1 0 -1 4194304 136 0 0 0 %d %d 0 0 20 0 9 0 406715 "+
		"3133440 390 18446744073709551615 1 1 1 0 0 0 0 0 0 0 0 0 17 %d 0 0 0 0 0 1 1 1 1 1 1 1 0\n",
		tid, name, user, sys, cpu)}
}

// TestThreads compares the times of threads: busy ones, idle ones, new ones, and files that cannot be read.
func TestThreads(t *testing.T) {
	start := time.Unix(1000, 0)
	r := &threadReader{task: fstest.MapFS{"7/stat": stat(7, "rdmatui", 100, 50, 0),
		"8/stat": stat(8, "a) b (", 10, 0, 0), "9/stat": stat(9, "rdmatui", 500, 500, 1)},
		at: start, on: map[int]map[string]bool{}}
	r.last = r.times()
	r.task = fstest.MapFS{"7/stat": stat(7, "rdmatui", 250, 80, 1), "8/stat": stat(8, "a) b (", 60, 50, 1),
		"9/stat": stat(9, "rdmatui", 501, 500, 1), "10/stat": stat(10, "mlx5", 0, 2, 0),
		"11/stat": {Data: []byte("11 (x")}, "12/stat": {Data: []byte("12 (x) R 1")},
		"x/stat": stat(13, "rdmatui", 500, 500, 1)}
	r.asks = 10
	r.on = map[int]map[string]bool{7: {"client": true, "server": true}, 8: {"server": true}}
	got, want := r.read(start.Add(2*time.Second)), []Thread{{7, "rdmatui", "both ends", 0.75, 0.15, 1},
		{8, "a) b (", "server", 0.25, 0.25, 1}, {10, "mlx5", "", 0, 0.01, 0}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if len(r.on) != 0 || r.asks != 0 || r.last[7].user != 250 {
		t.Error("the next second begins with the answers of this one")
	}
}
