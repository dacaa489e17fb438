package conversation

import (
	"math"
	"net/netip"
	"reflect"
	"slices"
	"time"

	"rdmatui/session/capture"
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

const (
	// chunkPackets is how many packets share a chunk, the unit in which they are dropped.
	chunkPackets = 4096
	// keepBytes is how much is kept of a packet: all headers and the beginning of the payload.
	keepBytes = 128
	// keepDatagram is how much is kept of a management datagram: all of it.
	keepDatagram = 512
)

// chunk holds consecutive packets. What many have in common is stored once.
type chunk struct {
	records  []record
	heads    []byte // the kept bytes of all packets
	routes   []route
	requests []*Request
	comments map[int][]string // by the packet's place; nil: none
	bytes    int              // that the chunk takes

	// While packets are added:
	byRoute   map[route]uint16
	byRequest map[*Request]uint16
}

// record is one packet.
type record struct {
	at       int64 // nanoseconds since 1970
	seq      uint32
	missed   uint32
	begin    uint32 // of its kept bytes
	talk     uint32 // 0: none
	len      uint16 // as sent
	captured uint16
	kept     uint16
	route    uint16
	request  uint16 // index in requests plus 1; 0: none
	id       uint16
	marks    Marks
	way      capture.Way
	icrc     capture.Verdict
}

// route is what the packets of one direction have in common.
type route struct {
	src, dst netip.AddrPort
	ip       verbs.IPHeader
	device   string
	mac      capture.MAC
	vlan     uint16
	pcp      uint8
	v1, df   bool
	ib       bool
	lrh      wire.LRH // without its length
	outer    *capture.Outer
}

// Bytes that a record, a route, its outer headers and a request take, about, with their places in a map.
var (
	recordBytes  = int(reflect.TypeFor[record]().Size())
	routeBytes   = int(reflect.TypeFor[route]().Size()) * 3
	outerBytes   = int(reflect.TypeFor[capture.Outer]().Size())
	requestBytes = int(reflect.TypeFor[Request]().Size()) + 64
)

// commentBytes is what a comment takes beside its text, about.
const commentBytes = 64

// newChunk makes a chunk with room for about size kept bytes.
func newChunk(size int) *chunk {
	return &chunk{
		records: make([]record, 0, chunkPackets), heads: make([]byte, 0, size), bytes: size + chunkPackets*recordBytes,
		byRoute: map[route]uint16{}, byRequest: map[*Request]uint16{},
	}
}

func (c *chunk) full() bool { return len(c.records) == chunkPackets }

// add appends a packet and returns how much the chunk has grown.
func (c *chunk) add(f *capture.Frame, marks Marks, talk int, q *Request) int {
	was := c.bytes
	keep := keepBytes
	if IsMAD(&f.Packet) {
		keep = keepDatagram
	}
	kept := f.Data[:min(keep, len(f.Data))]
	c.records = append(c.records, record{
		at: f.At.UnixNano(), seq: uint32(f.Seq), missed: uint32(min(f.Missed, math.MaxUint32)),
		begin: uint32(len(c.heads)), talk: uint32(talk), len: uint16(f.Len), captured: uint16(len(f.Data)),
		kept: uint16(len(kept)), route: c.routeOf(f), request: c.requestOf(q), id: f.ID, marks: marks,
		way: f.Way, icrc: f.ICRC,
	})
	if len(f.Comments) > 0 {
		c.comment(f.Comments)
	}
	before := cap(c.heads)
	c.heads = append(c.heads, kept...)
	c.bytes += cap(c.heads) - before
	return c.bytes - was
}

// comment keeps the comments of the last packet.
func (c *chunk) comment(texts []string) {
	if c.comments == nil {
		c.comments = map[int][]string{}
	}
	c.comments[len(c.records)-1] = texts
	for _, text := range texts {
		c.bytes += len(text) + commentBytes
	}
}

func (c *chunk) routeOf(f *capture.Frame) uint16 {
	lrh := f.LRH
	lrh.Len = 0
	r := route{f.Src, f.Dst, f.IP, f.Device, f.MAC, f.VLAN, f.PCP, f.V1, f.DF, f.IB, lrh, f.Outer}
	at, known := c.byRoute[r]
	if !known {
		at = uint16(len(c.routes))
		c.routes, c.byRoute[r] = append(c.routes, r), at
		if c.bytes += routeBytes; r.outer != nil {
			c.bytes += outerBytes
		}
	}
	return at
}

func (c *chunk) requestOf(q *Request) uint16 {
	if q == nil {
		return 0
	}
	at, known := c.byRequest[q]
	if !known {
		c.requests = append(c.requests, q)
		at = uint16(len(c.requests))
		c.byRequest[q] = at
		c.bytes += requestBytes
	}
	return at
}

// seal frees what only adding needs, and returns how much the chunk has grown: a negative
// number.
func (c *chunk) seal() int {
	was := c.bytes
	c.byRoute, c.byRequest = nil, nil
	if spare := cap(c.heads) - len(c.heads); spare > len(c.heads)/8 {
		c.heads = slices.Clip(slices.Clone(c.heads))
		c.bytes -= spare
	}
	c.routes, c.requests = slices.Clip(slices.Clone(c.routes)), slices.Clip(slices.Clone(c.requests))
	return c.bytes - was
}

// packet fills in p with the packet at a place.
func (c *chunk) packet(i int, p *Packet) {
	r := &c.records[i]
	way := &c.routes[r.route]
	room, asked := p.room, p.asked
	*p = Packet{Captured: int(r.captured), Marks: r.marks}
	f := &p.Frame
	f.Seq, f.At, f.Missed = uint64(r.seq), time.Unix(0, r.at), uint64(r.missed)
	f.Src, f.Dst, f.IP, f.Device, f.MAC, f.VLAN, f.PCP, f.V1, f.DF = way.src, way.dst, way.ip, way.device, way.mac,
		way.vlan, way.pcp, way.v1, way.df
	f.IB, f.LRH, f.Outer = way.ib, way.lrh, way.outer
	f.Way, f.Outgoing, f.Len, f.ID, f.ICRC = r.way, r.way == capture.Out, int(r.len), r.id, r.icrc
	f.Comments = c.comments[i]
	f.Data = c.heads[r.begin:][:r.kept:r.kept] // written once
	p.room = f.DecodeCut(room)
	if p.asked = asked; r.request > 0 {
		if asked == nil {
			p.asked = new(Request)
		}
		*p.asked = *c.requests[r.request-1]
		p.Request = p.asked
	}
}
