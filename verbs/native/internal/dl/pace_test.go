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
	if !quickCalls() {
		t.Skip("no quick calls with this release of Go")
	}
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

	waitsAlone(t, reads, fd, m, ask)
	pace.took(time.Hour)
	if len(told) != 1 {
		t.Errorf("told %d times", len(told))
	}
}

// TestPlainCallWaitsAlone makes no promise, so that none is broken.
func TestPlainCallWaitsAlone(t *testing.T) {
	l := libc(t)
	l.CallPlainly()
	pace := NewPace(func(took time.Duration) { t.Errorf("told of %s", took) })
	pace.among = 0
	fd, ask := laterByte(t)
	waitsAlone(t, bind[CountFunc](t, l, "read").AtOnce(pace), fd, newMem(t, 8), ask)
}

// waitsAlone lets the garbage collector run while the function waits.
func waitsAlone(t *testing.T, reads CountFunc, fd uintptr, m *Mem, ask func()) {
	t.Helper()
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
}
