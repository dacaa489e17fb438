//go:build linux && amd64

package dl

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// laterByte is a pipe that has a byte half a second after ask was called. Another
// process writes it, since all of this one may stand still meanwhile.
func laterByte(t *testing.T) (fd uintptr, ask func()) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	writer := exec.Command("sh", "-c", "while read line; do sleep 0.5; printf x; done")
	writer.Stdout = w
	stdin, err := writer.StdinPipe()
	if err == nil {
		err = writer.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() {
		stdin.Close()
		if err := writer.Wait(); err != nil {
			t.Error(err)
		}
		r.Close()
	})
	return r.Fd(), func() { // Fd makes the pipe one that blocks
		if _, err := stdin.Write([]byte("\n")); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPace has a function break its promise to return at once. From then on the
// garbage collector does not wait for functions of the same pace.
func TestPace(t *testing.T) {
	var told []time.Duration
	pace := NewPace(func(took time.Duration) { told = append(told, took) })
	pace.among = 0 // each call is measured
	m := newMem(t, 8)
	reads := bind[CountFunc](t, libc(t), "read").AtOnce(pace)
	fd, ask := laterByte(t)
	for n := 0; n < 20 && pace.atOnce(); n++ { // on a busy machine the byte may be there before the read
		ask()
		if n, err := reads.Call3(fd, m.Addr(), 1); n != 1 || err != nil {
			t.Fatalf("read %d bytes, %v", n, err)
		}
	}
	if pace.atOnce() || len(told) != 1 || told[0] < slowCall {
		t.Fatalf("still at once %v, told of %s", pace.atOnce(), told)
	}

	done := make(chan int)
	go func() {
		n, _ := reads.Call3(fd, m.Addr(), 1)
		done <- n
	}()
	for range 3 {
		runtime.GC() // would wait for the read, which waits for what comes below
		runtime.Gosched()
	}
	ask()
	if n := <-done; n != 1 {
		t.Errorf("read %d bytes", n)
	}
	pace.took(time.Hour)
	if len(told) != 1 {
		t.Errorf("told %d times", len(told))
	}
}
