package verbstest

import (
	"errors"
	"math"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

// hasOnDemand returns what of the device's RC queue pairs may use memory that is paged on demand; which must be as the environment says.
func (b *bench) hasOnDemand() (caps uint32, ok bool) {
	b.t.Helper()
	ex, err := b.dev.QueryDeviceEx()
	if err != nil && !errors.Is(err, verbs.ErrUnsupported) {
		b.t.Fatal(err)
	}
	if has := ex.ODPCaps.GeneralCaps&verbs.ODPSupport != 0; has != b.env.OnDemand {
		b.t.Fatalf("odp_caps.general_caps is 0x%x; want on-demand paging: %v", ex.ODPCaps.GeneralCaps, b.env.OnDemand)
	}
	return ex.ODPCaps.RCODPCaps, b.env.OnDemand
}

// testOnDemand uses memory that is paged on demand at both ends of what the device says it may. A device without it refuses the right.
func testOnDemand(t *testing.T, b *bench) {
	const size = 5 << 20 // most of which is never touched
	caps, ok := b.hasOnDemand()
	if !ok {
		_, err := b.pd.RegMR(verbs.MRSpec{Length: size, Access: verbs.LocalWrite | verbs.OnDemand})
		if !errors.Is(err, syscall.EINVAL) && !errors.Is(err, verbs.ErrUnsupported) {
			t.Errorf("ON_DEMAND: %v, want EINVAL or ErrUnsupported", err)
		}
		return
	}
	p := b.newPair(pairOptions{access: everyRemote})
	local, remote := b.newMR(size, verbs.LocalWrite|verbs.OnDemand), b.newMR(size, localAndAll|verbs.OnDemand)
	if got := remote.Spec().Access; got != localAndAll|verbs.OnDemand {
		t.Errorf("the rights are %s", got)
	}
	const far, n = size - 9000, 8800 // over pages that nobody has touched
	fill(t, local, pattern(n, 1), far)
	if caps&verbs.ODPWrite != 0 {
		b.wantComplete(p.a, verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMAWrite, SGList: sge(local, far, n), RemoteAddr: remote.Addr() + far, RKey: remote.RKey()}, verbs.WCSuccess)
		wantBytes(t, remote, pattern(n, 1), far)
	}
	if caps&verbs.ODPRead != 0 {
		b.wantComplete(p.a, verbs.SendWR{WRID: 2, Opcode: verbs.WRRDMARead, SGList: sge(local, 1<<20, n), RemoteAddr: remote.Addr() + 2<<20, RKey: remote.RKey()}, verbs.WCSuccess)
		wantBytes(t, local, make([]byte, n), 1<<20)
	}
	if caps&verbs.ODPAtomic != 0 {
		b.wantComplete(p.a, verbs.SendWR{WRID: 3, Opcode: verbs.WRAtomicFetchAndAdd, SGList: sge(local, 0, word), RemoteAddr: remote.Addr() + 3<<20, RKey: remote.RKey(), CompareAdd: 5}, verbs.WCSuccess)
		wantWord(t, remote, 5, 3<<20)
	}
	if caps&(verbs.ODPSend|verbs.ODPRecv) == verbs.ODPSend|verbs.ODPRecv {
		b.postRecv(p.b, verbs.RecvWR{WRID: 5, SGList: sge(remote, 4<<20, n)})
		b.postSend(p.a, verbs.SendWR{WRID: 4, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(local, far, n)})
		got := b.completions(2)
		wantStatus(t, got, 4, verbs.WCSuccess)
		wantStatus(t, got, 5, verbs.WCSuccess)
		wantBytes(t, remote, pattern(n, 1), 4<<20)
	}
	if _, err := b.pd.RegMR(verbs.MRSpec{Length: math.MaxUint64, Access: localAndAll | verbs.OnDemand}); err == nil {
		t.Error("all memory of the process was registered")
	}
}
