package verbstest

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"rdmatui/verbs"
)

// testSharedQP lets several goroutines post to one queue pair while another polls: every
// request must be executed once.
func testSharedQP(t *testing.T, b *bench) {
	const posters, each = 4, 50
	b.cq = b.newCQ(posters*each, nil) // a slot of the send queue is free before its completion is polled
	p := b.newPair(pairOptions{access: allRemote})
	src, dst := b.newMR(posters*each, verbs.LocalWrite), b.newMR(posters*each, localAndAll)
	fill(t, src, pattern(posters*each, 6), 0)
	failed := make(chan error, posters)
	var all sync.WaitGroup
	for i := range uint64(posters) {
		all.Go(func() {
			for j := range uint64(each) {
				n := i*each + j
				if err := postWhenRoom(p.a, verbs.SendWR{WRID: n, Opcode: verbs.WRRDMAWrite,
					SendFlags: verbs.SendSignaled, SGList: sge(src, n, 1),
					RemoteAddr: dst.Addr() + n, RKey: dst.RKey()}); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	for id, wc := range b.completions(posters * each) {
		if wc.Status != verbs.WCSuccess {
			t.Fatalf("%d: %s", id, describe(wc))
		}
	}
	all.Wait()
	close(failed)
	for err := range failed {
		t.Error(err)
	}
	b.noCompletion()
	wantBytes(t, dst, pattern(posters*each, 6), 0)
}

// postWhenRoom posts a request and retries while the queue is full.
func postWhenRoom(qp verbs.QP, wr verbs.SendWR) error {
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		n, err := qp.PostSend(wr)
		switch {
		case err == nil && n == 1:
			return nil
		case err == nil || n != 0:
			return fmt.Errorf("PostSend accepted %d: %w", n, err)
		case !errors.Is(err, syscall.ENOMEM) || time.Now().After(deadline):
			return err
		}
	}
}

// testManyPairs sends messages over several connections at the same time, each with its own
// goroutines and completion queue.
func testManyPairs(t *testing.T, b *bench) {
	const pairs, messages, size = 4, 40, 3000
	var all sync.WaitGroup
	for i := range byte(pairs) {
		side := *b
		side.cq = b.newCQ(64, nil)
		p := side.newPair(pairOptions{access: allRemote})
		src, dst := b.newMR(size, verbs.LocalWrite), b.newMR(size, localAndAll)
		fill(t, src, pattern(size, i), 0)
		all.Go(func() {
			for j := range uint64(messages) {
				if err := side.exchange(p, src, dst, j); err != nil {
					t.Errorf("connection %d: %v", i, err)
					return
				}
			}
		})
		t.Cleanup(func() { wantBytes(t, dst, pattern(size, i), 0) })
	}
	all.Wait()
}

// exchange performs one SEND and returns errors instead of failing the test, so that any
// goroutine may call it.
func (b *bench) exchange(p *pair, src, dst verbs.MR, id uint64) error {
	if _, err := p.b.PostRecv(verbs.RecvWR{WRID: id, SGList: sge(dst, 0, uint32(dst.Spec().Length))}); err != nil {
		return err
	}
	if _, err := p.a.PostSend(verbs.SendWR{WRID: id, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled,
		SGList: sge(src, 0, uint32(src.Spec().Length))}); err != nil {
		return err
	}
	var wcs [2]verbs.WC
	for got, deadline := 0, time.Now().Add(patience); got < 2; {
		n, err := b.cq.Poll(wcs[:])
		if err != nil {
			return err
		}
		for _, wc := range wcs[:n] {
			if wc.Status != verbs.WCSuccess || wc.WRID != id {
				return errors.New(describe(wc))
			}
		}
		if got += n; n == 0 && time.Now().After(deadline) {
			return fmt.Errorf("%d of 2 completions of message %d", got, id)
		}
	}
	return nil
}
