package world

import (
	"rdmatui/verbs"
	"rdmatui/verbs/verbstest/sim"
)

// formerly holds the address and key of a region before it was registered again.
type formerly struct {
	addr uint64
	key  uint32
}

// stepRereg registers a region again while peers READ from it: with other rights, in the other domain, over new memory,
// or a combination of these. Its previous key is invalid from then on.
func (w *world) stepRereg() {
	d := sim.Pick(w.Rng, w.hosts...).dom
	if d.closed {
		return
	}
	r := d.moving
	change := verbs.MRChange{Flags: verbs.ReregFlags(1 + w.Rng.IntN(7))}
	if change.Flags&verbs.ReregAccess != 0 {
		change.Access = sim.Pick(w.Rng, verbs.RemoteRead, verbs.LocalWrite)
	}
	if change.Flags&verbs.ReregPD != 0 {
		change.PD = sim.Pick(w.Rng, d.pd, d.foreign)
	}
	if change.Flags&verbs.ReregTranslation != 0 {
		change.Length = uint64(len(r.model))
	}
	w.Settle()
	w.Tracef("%s: rereg_mr %s", d.host.name, change.Flags)
	if !w.Must("rereg_mr", r.mr.Rereg(change)) {
		return
	}
	d.former = append(d.former, formerly{r.addr, r.key})
	r.addr, r.key = r.mr.Addr(), r.mr.RKey()
	if change.Flags&verbs.ReregAccess != 0 {
		r.access = change.Access
	}
	if change.Flags&verbs.ReregPD != 0 {
		d.abroad = change.PD == d.foreign
	}
	if change.Flags&verbs.ReregTranslation != 0 {
		clear(r.model)
	}
	r.check(0, len(r.model))
	w.Settle()
	d.fillMoving()
}

// fillMoving writes a new secret to the region. Peers may receive it as long as they may read the region.
func (d *domain) fillMoving() {
	w, r := d.w, d.moving
	if d.mover > 0 {
		w.secrets.open[d.mover] = false
	}
	d.mover = w.secrets.add(r.access&verbs.RemoteRead != 0 && !d.abroad)
	b := make([]byte, len(r.model))
	w.secrets.fill(d.mover)(b)
	r.write(0, b)
}
