package bench

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"rdmatui/verbs"
)

// Version is the version of the exchange that rdmatui announces, that of perftest
// 25.01. The number is not the one of the package: perftest 4.5+0.17 announces 6.06.
const Version = "6.24"

const (
	versionLen    = 16  // digits and NULs
	oldestVersion = 570 // hundredths: both ends refuse a peer before 5.70
	newFormat     = 622 // hundredths: from here on reports say MiB/sec instead of MB/sec
)

// StepLimit is how long the peer may take for each step of the exchange, except where
// it runs the test.
const StepLimit = 30 * time.Second

// Link carries the exchange: a TCP connection, or SENDs of a queue pair that the
// connection manager connected. Each Write is one message, and the peer must receive
// it as a whole: perftest does not repeat a short read.
type Link interface {
	Write(ctx context.Context, message []byte) error
	// Read fills message. what names it in errors.
	Read(ctx context.Context, message []byte, what string) error
}

// Exchange is the out-of-band exchange. Each step is a swap: the client writes first,
// then reads the server's answer. Only one goroutine may use it.
type Exchange struct {
	Link   Link
	Client bool
	// GID says that addresses over TCP include a GID; [Dest.Line].
	GID bool
	// Structs says that addresses are C structs, as over a queue pair.
	Structs bool
	// Peer is the version that the peer announced.
	Peer string
}

// Common is what both ends agree on.
type Common struct {
	CycleBuffer int       // bytes that one-sided messages walk through; the larger page of both
	CacheLine   int       // bytes by which their addresses advance at least; the larger line of both
	MTU         verbs.MTU // the smaller one
}

// Bounds of what a peer may announce: twice the largest of any CPU.
const (
	maxCycleBuffer = 128 << 10
	maxCacheLine   = 512
)

// Agree exchanges versions and what both ends must agree on.
func (x *Exchange) Agree(ctx context.Context, own Common) (Common, error) {
	if err := x.versions(ctx); err != nil {
		return own, err
	}
	page, err := x.number(ctx, own.CycleBuffer, 1, maxCycleBuffer, "its page size")
	if err != nil {
		return own, err
	}
	cacheLine, err := x.number(ctx, own.CacheLine, 1, maxCacheLine, "the size of its cache lines")
	if err != nil {
		return own, err
	}
	theirs := make([]byte, 2)
	if err := x.swap(ctx, []byte{'0' + byte(own.MTU), 0}, theirs, "its MTU"); err != nil {
		return own, err
	}
	mtu := verbs.MTU(theirs[0] - '0')
	if mtu.Bytes() == 0 {
		return own, fmt.Errorf("the peer announced %q as its MTU; 1 to 5 is expected", theirs)
	}
	own.CycleBuffer, own.CacheLine, own.MTU = max(page, own.CycleBuffer),
		max(cacheLine, own.CacheLine), min(mtu, own.MTU)
	return own, nil
}

func (x *Exchange) versions(ctx context.Context) error {
	own, theirs := make([]byte, versionLen), make([]byte, versionLen)
	copy(own, Version)
	if err := x.swap(ctx, own, theirs, itsVersion); err != nil {
		return err
	}
	text, _, ended := strings.Cut(string(theirs), "\x00")
	hundredths, ok := hundredthsOf(text)
	if !ended || !ok {
		return fmt.Errorf("the peer announced %q instead of a version: it is not a program of perftest", theirs)
	}
	if hundredths < oldestVersion {
		return fmt.Errorf("the peer's version of the exchange is %s: 5.70 or later is needed; update perftest there",
			text)
	}
	x.Peer = text
	return nil
}

// hundredthsOf reads a version such as 6.06.
func hundredthsOf(version string) (int, bool) {
	v, err := strconv.ParseFloat(version, 64)
	if err != nil || !(v >= 0 && v <= 1000) {
		return 0, false
	}
	return int(math.Round(v * 100)), true
}

// MiB reports whether the peer's reports say MiB/sec, as since perftest 24.07;
// earlier ones mean the same by MB/sec.
func (x *Exchange) MiB() bool {
	v, _ := hundredthsOf(x.Peer)
	return v >= newFormat
}

func (x *Exchange) number(ctx context.Context, own, least, most int, what string) (int, error) {
	var theirs [4]byte
	if err := x.swap(ctx, binary.BigEndian.AppendUint32(nil, uint32(own)), theirs[:], what); err != nil {
		return 0, err
	}
	n := int(int32(binary.BigEndian.Uint32(theirs[:])))
	if n < least || n > most {
		return 0, fmt.Errorf("the peer announced %d bytes as %s: from %d to %d are possible", n, what, least, most)
	}
	return n, nil
}

// Dest exchanges the addresses of a pair of queue pairs.
func (x *Exchange) Dest(ctx context.Context, own Dest) (Dest, error) {
	ctx, cancel := context.WithTimeout(ctx, StepLimit)
	defer cancel()
	d, err := x.dest(ctx, own)
	return d, inTime(ctx, err, "its address")
}

// Wait is Dest for a step that only waits for the peer, as long as ctx lasts.
func (x *Exchange) Wait(ctx context.Context, own Dest) error {
	_, err := x.dest(ctx, own)
	return err
}

func (x *Exchange) dest(ctx context.Context, own Dest) (Dest, error) {
	ours, theirs, parse := own.Line(x.GID), make([]byte, LineLen), ParseLine
	switch {
	case x.Structs:
		ours, theirs, parse = own.Struct(), make([]byte, StructLen), ParseStruct
	case x.GID:
		theirs = make([]byte, LineLenGID)
	}
	if err := x.writeRead(ctx, ours, theirs, "its address"); err != nil {
		return Dest{}, err
	}
	return parse(theirs)
}

// Report is what a bandwidth test measured, as both ends exchange it.
type Report struct {
	Size    uint64
	Iters   uint64  // of all queue pairs
	Peak    float64 // MiB/s, or Gbit/s with --report_gbits; 0: not computed
	Average float64 // the same
	Rate    float64 // millions of messages per second
}

// Reports exchanges the reports of a bandwidth test.
func (x *Exchange) Reports(ctx context.Context, own Report) (theirs Report, err error) {
	values := []struct {
		own   uint64
		name  string
		store func(uint64)
	}{
		{own.Size, "message size", func(v uint64) { theirs.Size = v }},
		{own.Iters, "number of iterations", func(v uint64) { theirs.Iters = v }},
		{math.Float64bits(own.Peak), "peak", func(v uint64) { theirs.Peak = math.Float64frombits(v) }},
		{math.Float64bits(own.Average), "average", func(v uint64) { theirs.Average = math.Float64frombits(v) }},
		{math.Float64bits(own.Rate), "message rate", func(v uint64) { theirs.Rate = math.Float64frombits(v) }},
	}
	for _, v := range values {
		var b [8]byte
		if err := x.swap(ctx, binary.BigEndian.AppendUint64(nil, v.own), b[:],
			"the "+v.name+" of its report"); err != nil {
			return theirs, err
		}
		v.store(binary.BigEndian.Uint64(b[:]))
	}
	return theirs, nil
}

// Check reports a size that no message has. A server that measures nothing may send any, and perftest's rates are
// infinite where it cannot tell the CPU's frequency.
func (r *Report) Check() error {
	if r.Size > maxMessage {
		return fmt.Errorf("the peer reports messages of %d bytes: give both ends the same flags", r.Size)
	}
	return nil
}

// swap is one step, for which the peer has StepLimit.
func (x *Exchange) swap(ctx context.Context, own, theirs []byte, what string) error {
	ctx, cancel := context.WithTimeout(ctx, StepLimit)
	defer cancel()
	return inTime(ctx, x.writeRead(ctx, own, theirs, what), what)
}

func (x *Exchange) writeRead(ctx context.Context, own, theirs []byte, what string) error {
	if x.Client {
		if err := x.Link.Write(ctx, own); err != nil {
			return err
		}
		return x.Link.Read(ctx, theirs, what)
	}
	if err := x.Link.Read(ctx, theirs, what); err != nil {
		return err
	}
	return x.Link.Write(ctx, own)
}

func inTime(ctx context.Context, err error, what string) error {
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &SilentError{what}
	}
	return err
}

// SilentError says that the peer did not send a message of the exchange within [StepLimit].
type SilentError struct{ What string }

// Error names the message.
func (e *SilentError) Error() string {
	return fmt.Sprintf("the peer did not send %s within %d s", e.What, StepLimit/time.Second)
}

// First reports whether nothing had come before.
func (e *SilentError) First() bool { return e.What == itsVersion }

const itsVersion = "its version" // the first message
