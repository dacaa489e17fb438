package world

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// region is a memory region and its expected bytes. It is divided into slots of one size, so that no two requests write
// to the same bytes.
type region struct {
	dom    *domain
	name   string
	mr     verbs.MR // nil: closed
	access verbs.Access
	addr   uint64
	key    uint32
	model  []byte
	slot   int
	taken  []bool // slots that a request writes to, or may still write to
	maybe  []draft
	users  int // requests under way that read from it
}

// draft holds bytes that a request may have written, fully or in part: it failed, or its result is unknown.
type draft struct {
	off  int
	data []byte // nil: anything
	n    int
}

// piece is a part of a region.
type piece struct {
	r      *region
	off, n int
}

// room is the memory of an SGE list.
type room []piece

func (m room) length() (n int) {
	for _, p := range m {
		n += p.n
	}
	return n
}

func (m room) sges() (list []verbs.SGE) {
	for _, p := range m {
		list = append(list, verbs.SGE{Addr: p.r.addr + uint64(p.off), Length: uint32(p.n), LKey: p.r.key})
	}
	return list
}

// model returns the expected bytes.
func (m room) model() (b []byte) {
	for _, p := range m {
		b = append(b, p.r.model[p.off:p.off+p.n]...)
	}
	return b
}

// actual returns the actual bytes; nil if the region is closed.
func (m room) actual() (b []byte) {
	for _, p := range m {
		b = append(b, p.r.read(p.off, p.n)...)
	}
	return b
}

// put records that data has been written to the start of the room.
func (m room) put(data []byte) {
	for _, p := range m {
		n := copy(p.r.model[p.off:p.off+p.n], data)
		data = data[n:]
	}
}

// accept takes the actual bytes as the expected ones.
func (m room) accept() {
	for _, p := range m {
		if p.r.mr != nil {
			copy(p.r.model[p.off:], p.r.read(p.off, p.n))
		}
	}
}

// newRegion registers a region of n slots; fill makes its first bytes.
func (d *domain) newRegion(name string, pd verbs.PD, access verbs.Access, slots, size int, fill func([]byte)) *region {
	size = (size + 7) &^ 7
	r := &region{
		dom: d, name: name, access: access, model: make([]byte, slots*size), slot: size, taken: make([]bool, slots),
	}
	mr, err := pd.RegMR(verbs.MRSpec{Length: uint64(len(r.model)), Access: access})
	if !d.w.Must("reg_mr", err) {
		return r
	}
	r.mr, r.addr, r.key = mr, mr.Addr(), mr.RKey()
	fill(r.model)
	r.write(0, r.model)
	d.regions = append(d.regions, r)
	return r
}

func (r *region) read(off, n int) []byte {
	b := make([]byte, n)
	if r.mr == nil {
		return b
	}
	if _, err := r.mr.ReadAt(b, int64(off)); err != nil {
		r.dom.w.Fail("%s: read %d bytes at %d: %v", r.name, n, off, err)
	}
	return b
}

// write writes as the owner of the region.
func (r *region) write(off int, b []byte) {
	copy(r.model[off:], b)
	if r.mr == nil {
		return
	}
	if _, err := r.mr.WriteAt(b, int64(off)); err != nil {
		r.dom.w.Fail("%s: write %d bytes at %d: %v", r.name, len(b), off, err)
	}
}

// take reserves a free slot; -1 if there is none.
func (r *region) take() int {
	n := len(r.taken)
	if r.mr == nil {
		return -1
	}
	for i, start := 0, r.dom.w.Rng.IntN(n); i < n; i++ {
		if s := (start + i) % n; !r.taken[s] {
			r.taken[s] = true
			return s
		}
	}
	return -1
}

// free counts the slots that are not reserved.
func (r *region) free() (n int) {
	for _, t := range r.taken {
		if !t {
			n++
		}
	}
	return n
}

// whole returns a slot as a piece.
func (r *region) whole(slot int) piece { return piece{r, slot * r.slot, r.slot} }

// release frees a slot to which no request can write any more.
func (r *region) release(slot int) {
	p := r.whole(slot)
	r.check(p.off, p.n)
	copy(r.model[p.off:], r.read(p.off, p.n))
	r.maybe = slices.DeleteFunc(r.maybe, func(d draft) bool { return d.off >= p.off && d.off < p.off+p.n })
	r.taken[slot] = false
}

// check compares the bytes of a part with the model.
func (r *region) check(off, n int) {
	if r.mr == nil {
		return
	}
	insecure := r.dom.w.insecure()
	if insecure && r.access&(verbs.RemoteWrite|verbs.RemoteAtomic|verbs.MWBind) != 0 && r != r.dom.other {
		return // an insider may do everything that the peer may
	}
	now := r.read(off, n)
	if bytes.Equal(now, r.model[off:off+n]) {
		return
	}
	for i, b := range now {
		at := off + i
		if insecure && r.taken[at/r.slot] {
			continue
		}
		if b != r.model[at] && !r.drafted(at, b) {
			r.dom.w.Fail("integrity: byte %d of %s of %s is 0x%02x, want 0x%02x", at, r.name, r.dom.host.name,
				b, r.model[at])
			return
		}
	}
}

// drafted reports whether a request may have written a byte there.
func (r *region) drafted(at int, b byte) bool {
	for _, d := range r.maybe {
		if at >= d.off && at < d.off+d.n && (d.data == nil || d.data[at-d.off] == b) {
			return true
		}
	}
	return false
}

// random fills bytes with values that occur nowhere else.
func random(r *rand.Rand) func([]byte) {
	return func(b []byte) {
		for len(b) >= 8 {
			binary.LittleEndian.PutUint64(b, r.Uint64())
			b = b[8:]
		}
		for i := range b {
			b[i] = byte(r.Uint32())
		}
	}
}

// secrets are marks in memory that no peer may read: a word of 8 bytes contains the mark and the number of the secret.
// Every packet is searched for them.
type secrets struct {
	w    *world
	open []bool // by number: the peer may read it at the moment
}

var mark = [6]byte{0xc5, 0x3e, 0x71, 0xd9, 0x16, 0xab}

// markReversed is the mark in network order, as in the answer to an atomic.
var markReversed = func() (m [6]byte) {
	for i, b := range mark {
		m[len(m)-1-i] = b
	}
	return m
}()

// add makes a secret.
func (s *secrets) add(open bool) int {
	s.open = append(s.open, open)
	return len(s.open) - 1
}

// fill returns a function that fills bytes with a secret.
func (s *secrets) fill(number int) func([]byte) {
	var word [8]byte
	copy(word[:], mark[:])
	binary.LittleEndian.PutUint16(word[6:], uint16(number))
	return func(b []byte) {
		for len(b) > 0 {
			b = b[copy(b, word[:]):]
		}
	}
}

// inspect searches a packet for secrets.
func (s *secrets) inspect(p *packet) {
	pad := int(p.Data[1] >> 4 & 3)
	for b := p.Data[:len(p.Data)-wire.ICRCLen-pad]; ; {
		i := bytes.Index(b, mark[:])
		if i < 0 {
			break
		}
		b = b[i+len(mark):]
		if len(b) < 2 {
			break
		}
		if n := int(binary.LittleEndian.Uint16(b)); n < len(s.open) && !s.open[n] {
			s.w.Fail("confidentiality: secret %d is in a packet from %s to %s, %x", n, p.Path.Src,
				p.Path.Dst, p.Data[:12])
			return
		}
	}
	if bytes.Contains(p.Data, markReversed[:]) {
		s.w.Fail("confidentiality: a secret is in an atomic's answer from %s to %s", p.Path.Src, p.Path.Dst)
	}
}

// shut is called when the regions of a domain are closed: none of their bytes may be sent any more.
func (s *secrets) shut(d *domain) { s.open[d.marked] = false }
