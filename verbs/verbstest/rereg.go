package verbstest

import (
	"errors"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

// testRereg changes rights, domain and memory of a region; IBA 11.2.8.5. A device without
// ibv_rereg_mr leaves the region unchanged.
func testRereg(t *testing.T, b *bench) {
	if b.env.has(NoRereg) {
		b.noRereg(t)
		return
	}
	b.part("access", func(t *testing.T, b *bench) {
		p := b.newPair(pairOptions{access: everyRemote})
		local, mr := b.newMR(word, verbs.LocalWrite), b.newMR(64, verbs.LocalWrite)
		fill(t, mr, pattern(64, 1), 0)
		addr := mr.Addr()
		b.must(mr.Rereg(verbs.MRChange{Flags: verbs.ReregAccess, Access: verbs.LocalWrite | verbs.RemoteRead}))
		if got := mr.Spec(); got != (verbs.MRSpec{Length: 64, Access: verbs.LocalWrite | verbs.RemoteRead}) ||
			mr.Addr() != addr {
			t.Errorf("%+v at 0x%x, was at 0x%x", got, mr.Addr(), addr)
		}
		wantBytes(t, mr, pattern(64, 1), 0)
		b.wantComplete(p.a, reach(verbs.WRRDMARead, local, word, addr, mr.RKey()), verbs.WCSuccess)
		wantBytes(t, local, pattern(64, 1)[:word], 0)
		b.wantComplete(p.a, reach(verbs.WRRDMAWrite, local, word, addr, mr.RKey()), verbs.WCRemAccessErr)
	})
	b.part("a right that is taken away", func(t *testing.T, b *bench) {
		p := b.newPair(pairOptions{access: everyRemote})
		local, mr := b.newMR(word, verbs.LocalWrite), b.newMR(64, localAndAll)
		b.must(mr.Rereg(verbs.MRChange{Flags: verbs.ReregAccess}))
		b.wantComplete(p.a, reach(verbs.WRRDMARead, local, word, mr.Addr(), mr.RKey()), verbs.WCRemAccessErr)
	})
	b.part("domain", func(t *testing.T, b *bench) {
		p := b.newPair(pairOptions{access: everyRemote})
		other := b.newPD()
		local, mr := b.newMR(word, verbs.LocalWrite), b.newMRIn(other, 64, localAndAll)
		fill(t, mr, pattern(64, 1), 0)
		b.must(mr.Rereg(verbs.MRChange{Flags: verbs.ReregPD, PD: b.pd}))
		b.wantComplete(p.a, reach(verbs.WRRDMARead, local, word, mr.Addr(), mr.RKey()), verbs.WCSuccess)
		wantBytes(t, local, pattern(64, 1)[:word], 0)
		b.must(other.Close()) // it is empty
		if err := b.pd.Close(); !errors.Is(err, syscall.EBUSY) {
			t.Errorf("closing the new PD: %v", err)
		}
	})
	b.part("memory", func(t *testing.T, b *bench) {
		p := b.newPair(pairOptions{access: everyRemote})
		local, mr := b.newMR(regionLen, verbs.LocalWrite), b.newMR(64, localAndAll)
		fill(t, mr, pattern(64, 1), 0)
		b.must(mr.Rereg(verbs.MRChange{Flags: verbs.ReregTranslation | verbs.ReregAccess, Length: regionLen,
			Access: allRemote | verbs.LocalWrite}))
		if got := mr.Spec(); got.Length != regionLen {
			t.Errorf("%d bytes", got.Length)
		}
		wantBytes(t, mr, make([]byte, regionLen), 0)
		fill(t, local, pattern(regionLen, 2), 0)
		b.wantComplete(p.a, reach(verbs.WRRDMAWrite, local, regionLen, mr.Addr(), mr.RKey()), verbs.WCSuccess)
		wantBytes(t, mr, pattern(regionLen, 2), 0)
	})
	b.part("a window", func(t *testing.T, b *bench) {
		p := b.newPair(pairOptions{access: everyRemote})
		mr := b.newMR(regionLen, windowed)
		mw := b.newMW(verbs.MWType1)
		b.mustBind(p.b, mw, window(mr, allRemote))
		if err := mr.Rereg(verbs.MRChange{Flags: verbs.ReregAccess, Access: windowed}); !errors.Is(err, syscall.EBUSY) {
			t.Errorf("with a bound window: %v, want EBUSY", err)
		}
		b.must(mw.Close())
		b.must(mr.Rereg(verbs.MRChange{Flags: verbs.ReregAccess}))
	})
}

func (b *bench) noRereg(t *testing.T) {
	p := b.newPair(pairOptions{access: everyRemote})
	local, mr := b.newMR(word, verbs.LocalWrite), b.newMR(64, localAndAll)
	fill(t, mr, pattern(64, 1), 0)
	before := mr.Spec()
	for _, c := range []verbs.MRChange{
		{Flags: verbs.ReregAccess, Access: verbs.LocalWrite},
		{Flags: verbs.ReregPD, PD: b.newPD()},
		{Flags: verbs.ReregTranslation, Length: 128},
	} {
		if err := mr.Rereg(c); !errors.Is(err, verbs.ErrUnsupported) {
			t.Errorf("%s: %v, want ErrUnsupported", c.Flags, err)
		}
	}
	if mr.Spec() != before {
		t.Errorf("%+v, was %+v", mr.Spec(), before)
	}
	b.wantComplete(p.a, reach(verbs.WRRDMARead, local, word, mr.Addr(), mr.RKey()), verbs.WCSuccess)
	wantBytes(t, local, pattern(64, 1)[:word], 0)
}

// testRefusedRereg makes invalid changes; the region stays unchanged.
func testRefusedRereg(t *testing.T, b *bench) {
	mr := b.newMR(64, localAndAll)
	gone := b.newMR(64, localAndAll)
	b.must(gone.Close())
	fill(t, mr, pattern(64, 1), 0)
	before, addr := mr.Spec(), mr.Addr()
	for name, c := range map[string]verbs.MRChange{
		"an unknown flag":                  {Flags: 1 << 5},
		"access without its flag":          {Flags: verbs.ReregPD, PD: b.pd, Access: verbs.RemoteRead},
		"no bytes":                         {Flags: verbs.ReregTranslation},
		"no domain":                        {Flags: verbs.ReregPD},
		"REMOTE_WRITE without LOCAL_WRITE": {Flags: verbs.ReregAccess, Access: verbs.RemoteWrite},
	} {
		if err := mr.Rereg(c); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if mr.Spec() != before || mr.Addr() != addr {
		t.Errorf("%+v at 0x%x, was %+v at 0x%x", mr.Spec(), mr.Addr(), before, addr)
	}
	wantBytes(t, mr, pattern(64, 1), 0)
	if err := gone.Rereg(verbs.MRChange{Flags: verbs.ReregAccess}); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("change of a closed region: %v, want ErrClosed", err)
	}
}
