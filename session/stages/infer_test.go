package stages

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/verbs"
)

// told writes the steps as "stage[=time]" with a mark of the source: nothing measured, ~ inferred, ? unknown, - absent,
// ! not reached.
func told(steps [Stages]Step) string {
	marks := [...]string{Unknown: "?", Inferred: "~", Measured: "", Absent: "-", NotReached: "!"}
	var parts []string
	for _, s := range steps {
		text := marks[s.Source] + strings.Fields(s.Stage.String())[0]
		if s.Source == Measured {
			text += fmt.Sprint("=", int(s.After))
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

// measured are the times of the steps given as letters, in this order from 1 ns on: f(etched), b(uilt), s(ent),
// p(laced), a(cknowledged), c(QE), w(as polled).
func measured(letters string) (f facts) {
	f.set(Posted, 0)
	for i, l := range letters {
		f.set(Stage(1+strings.IndexRune("fbspacw", l)), time.Duration(i+1))
	}
	return f
}

// TestBuild infers the steps from what was measured and how the request ended.
func TestBuild(t *testing.T) {
	const rc, uc, ud = verbs.RC, verbs.UC, verbs.UD
	type way struct{ recorded, near, pending bool }
	here, remote, native := way{recorded: true, near: true}, way{recorded: true}, way{}
	for name, tt := range map[string]struct {
		letters string
		typ     verbs.QPType
		op      verbs.WROpcode
		status  verbs.WCStatus
		way     way
		want    string
		stop    string // the step not reached
	}{
		"SEND, all measured": {"fbspacw", rc, verbs.WRSend, 0, here,
			"posted=0 fetched=1 built=2 sent=3 placed=4 acknowledged=5 CQE=6 polled=7", ""},
		"READ, all measured": {"fbsapcw", rc, verbs.WRRDMARead, 0, here,
			"posted=0 fetched=1 built=2 sent=3 acknowledged=4 placed=5 CQE=6 polled=7", ""},
		"swap, all measured": {"fbsapcw", rc, verbs.WRAtomicCmpAndSwp, 0, here,
			"posted=0 fetched=1 built=2 sent=3 acknowledged=4 placed=5 CQE=6 polled=7", ""},
		"WRITE to a remote peer": {"fbsacw", rc, verbs.WRRDMAWrite, 0, remote,
			"posted=0 fetched=1 built=2 sent=3 ~placed acknowledged=4 CQE=5 polled=6", ""},
		"WRITE on a NIC": {"w", rc, verbs.WRRDMAWrite, 0, native,
			"posted=0 ~fetched ~built ~sent ~placed ~acknowledged ~CQE polled=1", ""},
		"READ on a NIC": {"w", rc, verbs.WRRDMARead, 0, native,
			"posted=0 ~fetched ~built ~sent ~acknowledged ~placed ~CQE polled=1", ""},
		"WRITE, captured packets": {"saw", rc, verbs.WRRDMAWrite, 0, native,
			"posted=0 ~fetched ~built sent=1 ~placed acknowledged=2 ~CQE polled=3", ""},
		"datagram on a NIC": {"w", ud, verbs.WRSend, 0, native,
			"posted=0 ~fetched ~built ~sent ?placed -acknowledged ~CQE polled=1", ""},
		"datagram, completed soon": {"fbcspw", ud, verbs.WRSend, 0, here,
			"posted=0 fetched=1 built=2 CQE=3 sent=4 -acknowledged placed=5 polled=6", ""},
		"unreliable, lost": {"fbscw", uc, verbs.WRRDMAWrite, 0, here,
			"posted=0 fetched=1 built=2 sent=3 ?placed -acknowledged CQE=4 polled=5", ""},
		"bind": {"fcw", rc, verbs.WRBindMW, 0, here,
			"posted=0 fetched=1 -built -sent -placed -acknowledged CQE=2 polled=3", ""},

		"WRITE refused": {"fbsacw", rc, verbs.WRRDMAWrite, verbs.WCRemAccessErr, here,
			"posted=0 fetched=1 built=2 sent=3 !placed acknowledged=4 CQE=5 polled=6", "placed"},
		"WRITE refused remotely": {"fbsacw", rc, verbs.WRRDMAWrite, verbs.WCRemAccessErr, remote,
			"posted=0 fetched=1 built=2 sent=3 !placed acknowledged=4 CQE=5 polled=6", "placed"},
		"WRITE refused, on a NIC": {"w", rc, verbs.WRRDMAWrite, verbs.WCRemAccessErr, native,
			"posted=0 ~fetched ~built ~sent !placed ~acknowledged ~CQE polled=1", "placed"},
		"READ refused": {"fbsacw", rc, verbs.WRRDMARead, verbs.WCRemAccessErr, here,
			"posted=0 fetched=1 built=2 sent=3 acknowledged=4 !placed CQE=5 polled=6", "placed"},
		"READ refused, on a NIC": {"w", rc, verbs.WRRDMARead, verbs.WCRemAccessErr, native,
			"posted=0 ~fetched ~built ~sent ~acknowledged !placed ~CQE polled=1", "placed"},
		"no RECV": {"fbsacw", rc, verbs.WRSend, verbs.WCRNRRetryExcErr, here,
			"posted=0 fetched=1 built=2 sent=3 !placed acknowledged=4 CQE=5 polled=6", "placed"},
		"never arrived": {"fbscw", rc, verbs.WRSend, verbs.WCRetryExcErr, here,
			"posted=0 fetched=1 built=2 sent=3 !placed !acknowledged CQE=4 polled=5", "placed"},
		"acknowledgement lost": {"fbspcw", rc, verbs.WRSend, verbs.WCRetryExcErr, here,
			"posted=0 fetched=1 built=2 sent=3 placed=4 !acknowledged CQE=5 polled=6", "acknowledged"},
		"no answer from afar": {"fbscw", rc, verbs.WRSend, verbs.WCRetryExcErr, remote,
			"posted=0 fetched=1 built=2 sent=3 ?placed !acknowledged CQE=4 polled=5", "acknowledged"},
		"no answer on a NIC": {"w", rc, verbs.WRSend, verbs.WCRetryExcErr, native,
			"posted=0 ~fetched ~built ~sent ?placed !acknowledged ~CQE polled=1", "acknowledged"},
		"no local region": {"fcw", rc, verbs.WRSend, verbs.WCLocProtErr, here,
			"posted=0 fetched=1 !built !sent !placed !acknowledged CQE=2 polled=3", "built"},
		"no local region, on a NIC": {"w", rc, verbs.WRSend, verbs.WCLocProtErr, native,
			"posted=0 ~fetched !built !sent !placed !acknowledged ~CQE polled=1", "built"},
		"READ into no region": {"fbsacw", rc, verbs.WRRDMARead, verbs.WCLocProtErr, here,
			"posted=0 fetched=1 built=2 sent=3 acknowledged=4 !placed CQE=5 polled=6", "placed"},
		"SEND, late at the peer": {"fbsapcw", rc, verbs.WRSend, 0, here,
			"posted=0 fetched=1 built=2 sent=3 placed=5 acknowledged=4 CQE=6 polled=7", ""},
		"READ into none, remote": {"fbsacw", rc, verbs.WRRDMARead, verbs.WCLocProtErr, remote,
			"posted=0 fetched=1 built=2 sent=3 acknowledged=4 !placed CQE=5 polled=6", "placed"},
		"flushed before its turn": {"w", rc, verbs.WRSend, verbs.WCWRFlushErr, native,
			"posted=0 ?fetched ?built ?sent ?placed !acknowledged ~CQE polled=1", "acknowledged"},
		"flushed on its way": {"fbscw", rc, verbs.WRSend, verbs.WCWRFlushErr, here,
			"posted=0 fetched=1 built=2 sent=3 !placed !acknowledged CQE=4 polled=5", "placed"},
		"unknown status, on a NIC": {"w", rc, verbs.WRSend, verbs.WCGeneralErr, native,
			"posted=0 ~fetched ~built ~sent ?placed ~acknowledged ~CQE polled=1", "CQE written"},

		"pending: no RECV yet": {"fbs", rc, verbs.WRSend, 0, way{true, true, true},
			"posted=0 fetched=1 built=2 sent=3 !placed !acknowledged !CQE !polled", "placed"},
		"pending, remote": {"fbs", rc, verbs.WRSend, 0, way{true, false, true},
			"posted=0 fetched=1 built=2 sent=3 ?placed !acknowledged !CQE !polled", "acknowledged"},
		"pending, not polled": {"fbspac", rc, verbs.WRSend, 0, way{true, true, true},
			"posted=0 fetched=1 built=2 sent=3 placed=4 acknowledged=5 CQE=6 !polled", "polled"},
		"pending, on a NIC": {"", rc, verbs.WRSend, 0, way{pending: true},
			"posted=0 ?fetched ?built ?sent ?placed ?acknowledged ?CQE !polled", "polled"},
	} {
		f := measured(tt.letters)
		f.typ, f.op, f.done, f.status, f.recorded, f.near = tt.typ, tt.op, !tt.way.pending, tt.status,
			tt.way.recorded, tt.way.near
		steps, stop := f.build()
		if got := told(steps); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, tt.want)
		}
		at := ""
		if stop != -1 {
			at = steps[stop].Stage.String()
		}
		if at != tt.stop {
			t.Errorf("%s: stopped at %q, want %q", name, at, tt.stop)
		}
		for _, s := range steps {
			if s.Source != Measured && s.Source != NotReached && s.Note == "" {
				t.Errorf("%s: %s has no reason", name, s.Stage)
			}
		}
		if stop >= 0 && steps[stop].Source == NotReached && steps[stop].Note == "" {
			t.Errorf("%s: no reason for the stop", name)
		}
	}
}

// TestNotes: why a step is inferred, missing or not known.
func TestNotes(t *testing.T) {
	const rc = verbs.RC
	for name, tt := range map[string]struct {
		f    facts
		want map[Stage]string
	}{
		"WRITE": {facts{typ: rc, op: verbs.WRRDMAWrite, done: true},
			map[Stage]string{Fetched: "precedes the packet", Sent: "precedes the completion",
				Placed: "precedes the acknowledgement", CQE: "precedes the poll"}},
		"READ": {facts{typ: rc, op: verbs.WRRDMARead, done: true},
			map[Stage]string{Fetched: "precedes the packet", Acknowledged: "precedes the completion",
				Placed: "precedes the completion", CQE: "precedes the poll"}},
		"bind": {facts{typ: rc, op: verbs.WRBindMW, done: true},
			map[Stage]string{Sent: "executed by the device itself", Acknowledged: "executed by the device itself"}},
		"datagram": {facts{typ: verbs.UD, op: verbs.WRSend, done: true}, map[Stage]string{
			Acknowledged: "UD has no acknowledgements", Placed: "the peer does not report the arrival"}},
		"refused": {facts{typ: rc, op: verbs.WRRDMAWrite, done: true, status: verbs.WCRemAccessErr},
			map[Stage]string{Sent: "precedes the failure", Placed: "the responder refused the access",
				Acknowledged: "NAK: precedes the completion"}},
		"unknown status": {facts{typ: rc, op: verbs.WRRDMAWrite, done: true, status: verbs.WCGeneralErr},
			map[Stage]string{Sent: "precedes the failure", Acknowledged: "precedes the failure"}},
		"no answer": {facts{typ: rc, op: verbs.WRSend, done: true, status: verbs.WCRetryExcErr},
			map[Stage]string{Placed: "nothing came back", Acknowledged: "no response; retries exhausted"}},
		"flushed": {facts{typ: rc, op: verbs.WRSend, done: true, status: verbs.WCWRFlushErr},
			map[Stage]string{Sent: "the device does not report it"}},
		"pending": {facts{typ: rc, op: verbs.WRSend}, map[Stage]string{
			Sent: "the device reports nothing before the completion", Polled: "no completion polled yet"}},
		"pending, recorded": {facts{typ: rc, op: verbs.WRSend, recorded: true},
			map[Stage]string{Fetched: "waits in the send queue", Built: ""}},
	} {
		f := tt.f
		f.set(Posted, 0)
		steps, _ := f.build()
		for _, s := range steps {
			if want, given := tt.want[s.Stage]; given && s.Note != want {
				t.Errorf("%s: %s: %q, want %q", name, s.Stage, s.Note, want)
			}
		}
	}
}

// Every stage and source has a name, and every status that stops a request a reason.
func TestNames(t *testing.T) {
	if slices.Contains(stageNames[:], "") || slices.Contains(sourceNames[:], "") {
		t.Error(stageNames, sourceNames)
	}
	for status, s := range stops {
		if s.why == "" || s.at == Posted || s.at == Polled {
			t.Errorf("%s: %+v", status, s)
		}
	}
}
