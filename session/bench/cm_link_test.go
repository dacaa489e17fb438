package bench

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// TestControlMessage: a peer is ahead once its next message has come on the control connection. Whoever asks that does
// not take the message, which is read once, and another is then awaited.
func TestControlMessage(t *testing.T) {
	good := verbs.WC{ByteLen: 5}
	for _, tt := range []struct {
		name  string
		wcs   []verbs.WC
		asked int // how often, before the message is read
		ahead bool
		err   string
	}{
		{"a message that nobody asked for", []verbs.WC{good}, 0, false, ""},
		{"a message", []verbs.WC{good}, 1, true, ""},
		{"a message, asked for twice", []verbs.WC{good}, 2, true, ""},
		{"two messages", []verbs.WC{good, good}, 2, true, ""},
		{"a short message", []verbs.WC{{ByteLen: 4}}, 1, true, "4 instead of the 5 bytes of greetings"},
		{"a long message that nobody asked for", []verbs.WC{{ByteLen: 6}}, 0, false,
			"6 instead of the 5 bytes of greetings"},
		{"a failure, then another", []verbs.WC{{ByteLen: 5, Status: verbs.WCGeneralErr},
			{ByteLen: 5, Status: verbs.WCWRFlushErr}}, 1, false,
			"the control connection failed: completion WR_FLUSH_ERR"},
	} {
		recv := &completions{wcs: tt.wcs, idle: func(int) {}}
		q := &pair{recv: recv}
		memory := &byteRegion{b: make([]byte, cmReceiveAt+5)}
		copy(memory.b[cmReceiveAt:], "hello")
		l := &cmLink{q: &queue.QP{QP: q, RecvCQ: &queue.CQ{CQ: recv}}, mr: memory,
			recv: []verbs.RecvWR{{SGList: []verbs.SGE{{Addr: memoryAt + cmReceiveAt, Length: 5}}}}}
		ahead := false
		for range tt.asked {
			ahead = l.ahead()
		}
		if ahead != tt.ahead {
			t.Errorf("%s: ahead %v", tt.name, ahead)
		}
		message, posted := make([]byte, 5), 1
		err := l.Read(t.Context(), message, "greetings")
		if tt.err != "" {
			posted = 0
		}
		if tt.err == "" && (err != nil || string(message) != "hello") ||
			tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) || len(q.posted) != posted {
			t.Errorf("%s: %q, %v, %d RECVs", tt.name, message, err, len(q.posted))
		}
		if left := len(tt.wcs) - 1; err == nil && l.ahead() != (left > 0) {
			t.Errorf("%s: what was read is not gone", tt.name)
		}
	}
}

// unwritable is a region that cannot be written if err is set.
type unwritable struct {
	byteRegion
	err error
}

func (f *unwritable) WriteAt(p []byte, off int64) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return f.byteRegion.WriteAt(p, off)
}

// TestSendControlMessage: a message is one signaled SEND of its bytes, and is sent once that has completed.
func TestSendControlMessage(t *testing.T) {
	for _, tt := range []struct {
		name    string
		written error
		depth   int // requests that the queue pair has room for
		status  verbs.WCStatus
		want    string
	}{
		{"sent", nil, 1, verbs.WCSuccess, ""},
		{"the region is gone", syscall.EFAULT, 1, verbs.WCSuccess, "bad address"},
		{"no room", nil, 0, verbs.WCSuccess, "cannot allocate memory"},
		{"not acknowledged", nil, 1, verbs.WCRetryExcErr, "the control connection failed: completion RETRY_EXC_ERR"},
	} {
		send := &completions{idle: func(int) { t.Fatal("it waits in vain") }}
		q := &pair{depth: tt.depth, send: send}
		q.after = func(int) { send.wcs[0].Status = tt.status }
		send.done = func(*verbs.WC) {}
		memory := &unwritable{byteRegion{b: make([]byte, 8)}, tt.written}
		l := &cmLink{q: &queue.QP{QP: q, SendCQ: &queue.CQ{CQ: send}}, mr: memory}
		err := l.Write(t.Context(), []byte("hello"))
		if (err == nil) != (tt.want == "") || err != nil && err.Error() != tt.want {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if (len(q.sent) == 1) != (tt.written == nil && tt.depth == 1) {
			t.Errorf("%s: %d requests", tt.name, len(q.sent))
		}
		if tt.want != "" {
			continue
		}
		wr := q.sent[0]
		if wr.Opcode != verbs.WRSend || wr.SendFlags != verbs.SendSignaled || len(wr.SGList) != 1 ||
			wr.SGList[0] != (verbs.SGE{Addr: memoryAt, Length: 5, LKey: 7}) || string(memory.b[:5]) != "hello" {
			t.Errorf("%s: %+v of %q", tt.name, wr, memory.b)
		}
	}
}

// TestNoControlMessage: a peer that has said nothing is not ahead, and neither is one of whom the queue cannot tell.
func TestNoControlMessage(t *testing.T) {
	for name, cq := range map[string]verbs.CQ{
		"empty": &completions{idle: func(int) {}}, "broken": broken{},
	} {
		l := &cmLink{q: &queue.QP{RecvCQ: &queue.CQ{CQ: cq}}}
		for range 2 {
			if l.ahead() {
				t.Errorf("%s: the peer is ahead", name)
			}
		}
	}
	l := &cmLink{q: &queue.QP{RecvCQ: &queue.CQ{CQ: broken{}}}}
	if err := l.Read(t.Context(), nil, "nothing"); !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
}
