//go:build linux && amd64

package dl

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// laterByte returns a pipe that receives a byte half a second after the call of ask.
// Another process writes it, since this one may be stopped meanwhile.
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
	return r.Fd(), func() { // Fd makes the pipe blocking
		if _, err := stdin.Write([]byte("\n")); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPace: a function that was bound to return at once blocks. From then on the
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
	for n := 0; n < 20 && pace.atOnce(); n++ { // on a busy machine the byte may arrive before the read
		ask()
		if n, err := reads.Call3(fd, m.Addr(), 1); n != 1 || err != nil {
			t.Fatalf("read %d bytes, %v", n, err)
		}
	}
	if pace.atOnce() || len(told) != 1 || told[0] < slowCall {
		t.Fatalf("still at once %v, notified of %s", pace.atOnce(), told)
	}

	waitsAlone(t, reads, fd, m, ask)
	pace.took(time.Hour)
	if len(told) != 1 {
		t.Errorf("notified %d times", len(told))
	}
}

// TestPlainCallWaitsAlone: a plain call need not return at once, so no slow call is
// reported.
func TestPlainCallWaitsAlone(t *testing.T) {
	l := libc(t)
	l.CallPlainly()
	pace := NewPace(func(took time.Duration) { t.Errorf("notified of %s", took) })
	pace.among = 0
	fd, ask := laterByte(t)
	waitsAlone(t, bind[CountFunc](t, l, "read").AtOnce(pace), fd, newMem(t, 8), ask)
}

// waitsAlone runs the garbage collector while the function waits.
func waitsAlone(t *testing.T, reads CountFunc, fd uintptr, m *Mem, ask func()) {
	t.Helper()
	done := make(chan int)
	go func() {
		n, _ := reads.Call3(fd, m.Addr(), 1)
		done <- n
	}()
	for range 3 {
		runtime.GC() // must not wait for the read, which waits for ask below
		runtime.Gosched()
	}
	ask()
	if n := <-done; n != 1 {
		t.Errorf("read %d bytes", n)
	}
}

// TestCoarse: the clock that calls are measured with runs as fast as the usual one.
func TestCoarse(t *testing.T) {
	if !quickCalls() {
		t.Skip("no quick calls with this release of Go")
	}
	l := libc(t)
	const tick = 10 * time.Millisecond // the longest between two timer interrupts
	began, from := time.Now(), l.coarse()
	for l.coarse()-from < 5*tick {
		if runtime.Gosched(); time.Since(began) > time.Minute {
			t.Fatal("the coarse clock stands still")
		}
	}
	if took := time.Since(began); took < 4*tick {
		t.Errorf("the coarse clock advanced %s in %s", l.coarse()-from, took)
	}
}
