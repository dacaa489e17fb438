package link

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// faultyPair is a link with faults and the port that receives its packets.
func faultyPair(t *testing.T, v verbs.Faults) (a *Faulty, b *end, way *Path) {
	t.Helper()
	f := new(Fabric)
	a, b = NewFaulty(attach(t, f, addrA), nil), attach(t, f, addrB)
	a.SetFaults(v)
	return a, b, path(t, addrA, addrB)
}

// sendEach sends n packets in batches of 16 and returns the PSNs that arrive at once.
func sendEach(t *testing.T, a *Faulty, b *end, way *Path, n int) (got []wire.PSN) {
	t.Helper()
	ps := packets(a, way, n)
	for batch := range slices.Chunk(ps, 16) {
		a.Send(slices.Clone(batch))
		got = append(got, arrived(t, b)...)
	}
	return got
}

func arrived(t *testing.T, b *end) []wire.PSN {
	t.Helper()
	ps := b.Receive(nil, queueLimit)
	got := psns(t, ps)
	b.Pool().Put(ps)
	return got
}

// TestFaultShares compares the counters of a seed with the packets that arrive and with the shares.
func TestFaultShares(t *testing.T) {
	const n = 20000
	tests := []struct {
		faults verbs.Faults
		want   FaultCounters
	}{
		{verbs.Faults{Loss: 0.2, Seed: 1}, FaultCounters{Lost: 4051}},
		{verbs.Faults{Loss: 0.2, Seed: 2}, FaultCounters{Lost: 4067}},
		{verbs.Faults{Duplicate: 0.05, Seed: 1}, FaultCounters{Duplicated: 1026}},
		{verbs.Faults{Corrupt: 0.01, Seed: 1}, FaultCounters{Corrupted: 206}},
		{verbs.Faults{Reorder: 0.1, Seed: 1}, FaultCounters{Reordered: 1984}},
		{verbs.Faults{Loss: 1}, FaultCounters{Lost: n}},
		{verbs.Faults{Corrupt: 1}, FaultCounters{Corrupted: n}},
		{verbs.Faults{Duplicate: 1}, FaultCounters{Duplicated: n}},
		{verbs.Faults{Loss: 0.2, Duplicate: 0.05, Reorder: 0.1, Corrupt: 0.01, Seed: 1},
			FaultCounters{Lost: 4051, Duplicated: 814, Reordered: 1605, Corrupted: 172}},
		{verbs.Faults{Seed: 1}, FaultCounters{}},
	}
	for _, tt := range tests {
		t.Run(tt.faults.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b, way := faultyPair(t, tt.faults)
				defer a.Close()
				got := sendEach(t, a, b, way, n)
				time.Sleep(asideWait) // nothing overtakes the last ones
				synctest.Wait()
				got = append(got, arrived(t, b)...)
				c := a.FaultCounters()
				if c != tt.want {
					t.Errorf("%+v, want %+v", c, tt.want)
				}
				if bad := b.Counters().BadICRC; bad != c.Corrupted {
					t.Errorf("%d packets with a bad ICRC, %d corrupted", bad, c.Corrupted)
				}
				if want := n - c.Lost + c.Duplicated - c.Corrupted; uint64(len(got)) != want {
					t.Errorf("%d arrived, want %d", len(got), want)
				}
				if sent := a.Counters().Sent; sent != n {
					t.Errorf("%d counted as sent", sent)
				}
			})
		})
	}
}

// TestDuplicateFromPool: a duplicate takes one packet of the pool.
func TestDuplicateFromPool(t *testing.T) {
	a, b, way := faultyPair(t, verbs.Faults{Duplicate: 1})
	a.Pool().Put(a.Pool().Get(nil, 10))
	run := packets(a, way, 3)
	a.Send(run)
	if n := len(a.Pool().idle); n != 10-6 {
		t.Errorf("%d packets are left in the pool", n)
	}
	if got := arrived(t, b); len(got) != 6 {
		t.Errorf("%v arrived", got)
	}
}

// TestFaultsBySeed compares two links packet by packet, and with one whose other shares differ.
func TestFaultsBySeed(t *testing.T) {
	run := func(v verbs.Faults) (got []wire.PSN) {
		synctest.Test(t, func(t *testing.T) {
			a, b, way := faultyPair(t, v)
			defer a.Close()
			got = sendEach(t, a, b, way, 1000)
		})
		return got
	}
	all := verbs.Faults{Loss: 0.2, Duplicate: 0.1, Reorder: 0.2, Corrupt: 0.05, Seed: 7}
	first := run(all)
	if !slices.Equal(first, run(all)) {
		t.Error("the same seed affects other packets")
	}
	other := all
	other.Seed = 8
	if slices.Equal(first, run(other)) {
		t.Error("another seed affects the same packets")
	}
	lost := func(v verbs.Faults) []wire.PSN {
		got := run(v)
		slices.Sort(got)
		return slices.Compact(got)
	}
	if !slices.Equal(lost(verbs.Faults{Loss: 0.2, Seed: 7}), lost(verbs.Faults{Loss: 0.2, Duplicate: 0.5, Seed: 7})) {
		t.Error("duplicates change the lost packets")
	}
}

// TestReorder checks how many packets overtake a reordered one.
func TestReorder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, way := faultyPair(t, verbs.Faults{Reorder: 0.1})
		defer a.Close()
		got := sendEach(t, a, b, way, 1000)
		overtaken := uint64(0)
		for i, psn := range got {
			ahead := 0
			for _, other := range got[:i] {
				if other > psn {
					ahead++
				}
			}
			if ahead > 0 {
				overtaken++
			}
			if ahead > 2*asideSpan { // other delayed packets may come before it
				t.Errorf("%d packets overtook PSN %d", ahead, psn)
			}
		}
		if c := a.FaultCounters(); overtaken < c.Reordered-asideSpan || overtaken > c.Reordered || c.Reordered == 0 {
			t.Errorf("%d packets were overtaken, %d counted", overtaken, c.Reordered)
		}
		a.SetFaults(verbs.Faults{Reorder: 1})
		a.Send(packets(a, way, 1))
		time.Sleep(asideWait)
		synctest.Wait()
		if got := arrived(t, b); len(got) == 0 || got[len(got)-1] != 0 {
			t.Errorf("a packet that nothing overtakes did not arrive: %v", got)
		}
	})
}

// TestDelay checks arrival times.
func TestDelay(t *testing.T) {
	const ms = time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		a, b, way := faultyPair(t, verbs.Faults{Delay: 5 * ms})
		defer a.Close()
		a.Send(packets(a, way, 2))
		time.Sleep(2 * ms)
		a.Send(packets(a, way, 1))
		a.SetFaults(verbs.Faults{}) // packets in flight keep their delay
		for _, want := range []struct {
			wait time.Duration
			n    int
		}{{3*ms - 1, 0}, {1, 2}, {2*ms - 1, 0}, {1, 1}} {
			time.Sleep(want.wait)
			synctest.Wait()
			if got := arrived(t, b); len(got) != want.n {
				t.Errorf("after %v more: %v, want %d", want.wait, got, want.n)
			}
		}
		if a.on.Load() {
			t.Error("packets are still delayed")
		}
		if c := a.FaultCounters(); c != (FaultCounters{Delayed: 3}) {
			t.Errorf("%+v", c)
		}
	})
}

func TestJitter(t *testing.T) {
	const delay, jitter, n = 3 * time.Millisecond, 4 * time.Millisecond, 4000
	synctest.Test(t, func(t *testing.T) {
		a, b, way := faultyPair(t, verbs.Faults{Delay: delay, Jitter: jitter, Seed: 3})
		defer a.Close()
		a.Send(packets(a, way, n))
		begin := time.Now()
		at := make([]int, 8) // by milliseconds
		for range at {
			synctest.Wait()
			k := int(time.Since(begin) / time.Millisecond)
			at[k] += len(arrived(t, b))
			time.Sleep(time.Millisecond)
		}
		// Delays are spread evenly from -1 to 7 ms; a negative delay is none. The queue is read once per ms: a packet
		// delayed by 0.4 ms is seen at 1.
		for k, got := range at {
			if want := n / 8; got < want*8/10 || got > want*12/10 {
				t.Errorf("%d packets of %d at %d ms: %v", got, n, k, at)
			}
		}
	})
}

// TestFaultsHold: packets that wait for their time and packets that wait to be overtaken share one bound.
func TestFaultsHold(t *testing.T) {
	for _, tt := range []struct {
		late, aside int
		full        bool
	}{{0, 0, false}, {maxHeld - 1, 0, false}, {maxHeld, 0, true}, {0, maxHeld, true},
		{maxHeld / 2, maxHeld/2 - 1, false}, {maxHeld / 2, maxHeld / 2, true}} {
		f := NewFaulty(attach(t, new(Fabric), addrA), nil)
		f.late, f.aside = make([]held, tt.late), make([]aside, tt.aside)
		if got := f.full(f.Pool().Get(nil, 1)[0]); got != tt.full || f.count.Overflow > 0 != tt.full ||
			len(f.Pool().idle) > 0 != tt.full {
			t.Errorf("%+v: full %t; %+v", tt, got, f.count)
		}
	}
}

// TestFaultyBounds delays packets indefinitely: their number is bounded, and closing drops them and their timer.
func TestFaultyBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, way := faultyPair(t, verbs.Faults{Delay: time.Second})
		a.Send(packets(a, way, maxHeld+10))
		if c := a.FaultCounters(); c != (FaultCounters{Delayed: maxHeld, Overflow: 10}) {
			t.Errorf("%+v", c)
		}
		time.Sleep(time.Second / 2)
		a.SetFaults(verbs.Faults{Reorder: 1})
		a.Send(packets(a, way, 3))
		if c := a.FaultCounters(); c.Overflow != 13 || c.Reordered != 3 {
			t.Errorf("%+v", c)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if idle := len(a.Pool().idle); idle != maxIdle {
			t.Errorf("%d packets returned to the pool", idle)
		}
		time.Sleep(time.Second)
		if got := arrived(t, b); len(got) != 0 {
			t.Errorf("%d packets received from a closed link", len(got))
		}
		a.SetFaults(verbs.Faults{Duplicate: 1})
		a.Send(packets(a, way, 3)) // too late: no effect
		if got := arrived(t, b); len(got) != 0 {
			t.Errorf("%d packets sent over a closed link", len(got))
		}
	})
}

// TestFaultyCountsSent: a packet counts as sent once, whatever the faults do to it, and when.
func TestFaultyCountsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _, way := faultyPair(t, verbs.Faults{})
		sent := 0
		for _, v := range []verbs.Faults{
			{}, {Delay: time.Second}, {Reorder: 1}, {Duplicate: 1}, {Loss: 1}, {Corrupt: 1},
			{Delay: time.Second, Reorder: 0.5, Duplicate: 0.5, Loss: 0.5},
			{Delay: time.Second, Reorder: 0.5}, {Reorder: 1},
		} {
			a.SetFaults(v)
			a.Send(packets(a, way, 10))
			sent += 10
			if n := a.Counters().Sent; n != uint64(sent) {
				t.Fatalf("%+v: %d packets, want %d; %+v", v, n, sent, a.FaultCounters())
			}
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		a.SetFaults(verbs.Faults{Delay: time.Second})
		a.Send(packets(a, way, maxHeld+10)) // too many
		if n := a.Counters().Sent; n != uint64(sent+maxHeld+10) || a.FaultCounters().Overflow != 10 {
			t.Errorf("%d packets, want %d; %+v", n, sent+maxHeld+10, a.FaultCounters())
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestCountersPlus adds counters whose fields all differ.
func TestCountersPlus(t *testing.T) {
	if got, want := (FaultCounters{1, 2, 3, 4, 5, 6}).Plus(FaultCounters{10, 20, 30, 40, 50, 60}),
		(FaultCounters{11, 22, 33, 44, 55, 66}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := (Counters{1, 2, 3, 4, 5, 6, 7, 8}).Plus(Counters{10, 20, 30, 40, 50, 60, 70, 80}),
		(Counters{11, 22, 33, 44, 55, 66, 77, 88}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestFaultyIsSerial sends, changes faults and runs timers at the same time: only one of them may send on the link
// below at any time.
func TestFaultyIsSerial(t *testing.T) {
	var f Fabric
	l := &oneSender{Port: attach(t, &f, addrA).Port, t: t}
	a := NewFaulty(l, nil)
	b := attach(t, &f, addrB)
	way := path(t, addrA, addrB)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			v := verbs.Faults{Delay: 20 * time.Microsecond, Jitter: 20 * time.Microsecond, Reorder: 0.2}
			if i%2 == 0 {
				v = verbs.Faults{}
			}
			a.SetFaults(v)
			time.Sleep(30 * time.Microsecond)
		}
	}()
	for a.FaultCounters().Delayed < 2000 {
		a.Send(packets(a, way, 4))
		b.Pool().Put(b.Receive(nil, queueLimit))
	}
	close(stop)
	<-done
	a.Close()
}

type oneSender struct {
	*Port
	t    *testing.T
	busy atomic.Bool
}

func (l *oneSender) Send(batch []*Packet) {
	if l.busy.Swap(true) {
		l.t.Error("two senders at once")
	}
	l.Port.Send(batch)
	l.busy.Store(false)
}

// TestFaultlessIsFree counts allocations per batch on a link without faults.
func TestFaultlessIsFree(t *testing.T) {
	a, b, way := faultyPair(t, verbs.Faults{})
	ps, got := packets(a, way, 16), make([]*Packet, 0, 16)
	round := func() {
		a.Send(ps)
		got = b.Receive(got[:0], 16)
		for _, p := range got {
			p.Data = p.Data[:len(p.Data)-wire.ICRCLen]
		}
		copy(ps, got)
	}
	round()
	if n := testing.AllocsPerRun(100, round); n != 0 {
		t.Errorf("%v allocations for 16 packets", n)
	}
}

func BenchmarkFaulty(b *testing.B) {
	for _, v := range []verbs.Faults{{}, {Loss: 1e-9}} {
		b.Run(fmt.Sprint("faults=", v.Active()), func(b *testing.B) {
			f := NewFaulty(sink{new(Port)}, nil)
			f.SetFaults(v)
			ps := []*Packet{{Data: make([]byte, 64)}}
			for b.Loop() {
				f.Send(ps)
			}
		})
	}
}

type sink struct{ *Port }

func (sink) Send([]*Packet) {}
