package oob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"rdmatui/verbs"
)

// Region is memory that one end lets the other reach, as it tells at the end of the dialogue.
//
// The stock programs know nothing of it, so it must not disturb them. A stock server
// reads more than the last word "done" at once and refuses what follows it, so the
// server tells its regions first, once it has read "done". A client answers with its
// own when it has heard them. Stock programs, and older instances, have hung up.
type Region struct {
	Name         string // a letter, then letters, digits and '_', at most MaxRegionName
	Addr, Length uint64
	RKey         uint32
	Access       verbs.Access
}

// Bounds of what is told.
const (
	MaxRegions    = 32
	MaxRegionName = 32
)

// Regions on the wire: a head with their number, and for each a line of fixed columns: address, length, rkey and access in
// hexadecimal digits, the name filled up with spaces. All end with a NUL.
const (
	regionsWord = "regions:"
	headLen     = len(regionsWord) + 2 + 1
	lineLen     = 16 + 1 + 16 + 1 + 8 + 1 + 8 + 1 + MaxRegionName + 1
)

// How long an end waits for regions that may never come. Those of a client lie right behind its last word.
const (
	serverPatience = 500 * time.Millisecond
	clientPatience = 2 * time.Second
)

// regionsWire is the bytes of up to MaxRegions regions.
func regionsWire(list []Region) []byte {
	list = list[:min(len(list), MaxRegions)]
	b := fmt.Appendf(nil, "%s%02x\x00", regionsWord, len(list))
	for _, r := range list {
		b = fmt.Appendf(b, "%016x:%016x:%08x:%08x:%-*s\x00", r.Addr, r.Length, r.RKey, uint32(r.Access), MaxRegionName, r.Name)
	}
	return b
}

// regionCount reads the head.
func regionCount(head []byte) (int, error) {
	digits, ok := strings.CutPrefix(string(head), regionsWord)
	n, err := strconv.ParseUint(strings.TrimSuffix(digits, "\x00"), 16, 8)
	if !ok || len(head) != headLen || head[headLen-1] != 0 || err != nil || n > MaxRegions {
		return 0, fmt.Errorf("the peer's regions begin with %q; %sNN with at most %d is expected", head, regionsWord, MaxRegions)
	}
	return int(n), nil
}

// parseRegion reads the line of one region.
func parseRegion(b []byte) (r Region, err error) {
	bad := func(why string) (Region, error) { return Region{}, fmt.Errorf("the peer's region %q: %s", b, why) }
	columns := strings.SplitN(strings.TrimSuffix(string(b), "\x00"), ":", 5)
	if len(b) != lineLen || b[lineLen-1] != 0 || len(columns) != 5 {
		return bad("ADDR:LENGTH:RKEY:ACCESS:NAME is expected")
	}
	var numbers [4]uint64
	for i, digits := range []int{16, 16, 8, 8} {
		if numbers[i], err = strconv.ParseUint(columns[i], 16, 4*digits); err != nil || len(columns[i]) != digits {
			return bad(fmt.Sprintf("%d hexadecimal digits are expected in column %d", digits, i+1))
		}
	}
	r = Region{Name: strings.TrimRight(columns[4], " "), Addr: numbers[0], Length: numbers[1], RKey: uint32(numbers[2]), Access: verbs.Access(numbers[3])}
	switch {
	case !isRegionName(r.Name):
		return bad("a name of letters, digits and '_' is expected")
	case r.Addr+r.Length < r.Addr:
		return bad("it ends beyond 64 bits")
	}
	return r, nil
}

func isRegionName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != "" && len(s) <= MaxRegionName
}

// RegionName makes a name that can be told of that of an object.
func RegionName(name string) string {
	b := []byte(name[:min(len(name), MaxRegionName-1)])
	for i, c := range b {
		if c != '_' && !isRegionName("x"+string(c)) {
			b[i] = '_'
		}
	}
	if !isRegionName(string(b)) {
		return "r" + string(b)
	}
	return string(b)
}

// ParseRegions reads what regionsWire has made; two regions of a name are refused.
func ParseRegions(b []byte) (list []Region, err error) {
	n, err := regionCount(b[:min(len(b), headLen)])
	if err == nil && len(b) != headLen+n*lineLen {
		err = fmt.Errorf("%d regions have %d bytes, got %d", n, headLen+n*lineLen, len(b))
	}
	seen := map[string]bool{}
	for i := 0; i < n && err == nil; i++ {
		var r Region
		r, err = parseRegion(b[headLen+i*lineLen:][:lineLen])
		if list = append(list, r); err == nil && seen[r.Name] {
			err = fmt.Errorf("the peer has two regions %s", r.Name)
		}
		seen[r.Name] = true
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// errNotTold says that the peer tells no regions: it is a stock program, or of an older version.
var errNotTold = errors.New("the peer tells no regions")

// receiveRegions reads the peer's regions if there are any to come.
func (c *Conn) receiveRegions(ctx context.Context, patience time.Duration) ([]Region, error) {
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	b := make([]byte, headLen, headLen+MaxRegions*lineLen)
	defer c.endWith(ctx)()
	switch got, err := io.ReadFull(c.c, b); {
	case err != nil && outer.Err() != nil:
		return nil, outer.Err()
	case got == 0 && err != nil && (hungUp(err) || errors.Is(err, os.ErrDeadlineExceeded)):
		return nil, errNotTold
	case err != nil:
		return nil, fmt.Errorf("the peer's regions: %w", err)
	}
	n, err := regionCount(b)
	if err != nil {
		return nil, err
	}
	b = b[:headLen+n*lineLen]
	if _, err := io.ReadFull(c.c, b[headLen:]); err != nil {
		return nil, fmt.Errorf("the peer's %d regions: %w", n, err)
	}
	return ParseRegions(b)
}

// hungUp reports whether an error says that the peer has closed the connection.
func hungUp(err error) bool {
	for _, e := range []error{io.EOF, io.ErrClosedPipe, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// EndAsClient says the last word, hears the server's regions and answers with the
// own. A server that tells none is no error: told is false.
func (c *Conn) EndAsClient(ctx context.Context, own []Region) (theirs []Region, told bool, err error) {
	if err := c.SendDone(ctx); err != nil {
		return nil, false, err
	}
	theirs, told, err = heard(c.receiveRegions(ctx, clientPatience))
	if !told || err != nil {
		return nil, told, err
	}
	return theirs, true, c.write(ctx, regionsWire(own))
}

// EndAsServer hears the client's last word, tells the own regions, and hears those
// of a client that answers.
func (c *Conn) EndAsServer(ctx context.Context, own []Region) (theirs []Region, told bool, err error) {
	if err := c.ReceiveDone(ctx); err != nil {
		return nil, false, err
	}
	bounded, cancel := context.WithTimeout(ctx, serverPatience)
	defer cancel()
	if err := c.write(bounded, regionsWire(own)); err != nil {
		return nil, false, ctx.Err() // a stock client has hung up, or does not read
	}
	return heard(c.receiveRegions(ctx, serverPatience))
}

func heard(list []Region, err error) ([]Region, bool, error) {
	if errors.Is(err, errNotTold) {
		return nil, false, nil
	}
	return list, err == nil, err
}
