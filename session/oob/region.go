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
	"rdmatui/verbs/format"
)

// Region describes memory that one end lets the other access. It is sent at the end of the dialogue.
//
// The stock programs do not know regions, so regions must not disturb them. A stock server
// reads more than the final "done" at once and refuses anything after it, so the server
// sends its regions first, once it has read "done". A client answers with its own once
// it has received them. Stock programs and older versions have closed the connection.
type Region struct {
	Name         string // a letter, then letters, digits and '_', at most MaxRegionName
	Addr, Length uint64
	RKey         uint32
	Access       verbs.Access
}

// Bounds on regions.
const (
	MaxRegions    = 32 // regions that one end sends
	MaxRegionName = 32 // bytes of a region's name
)

// Regions on the wire: a head with their number, then for each a line of fixed columns: address, length, rkey and
// access in hexadecimal digits, and the name padded with spaces. Head and lines end with a NUL.
const (
	regionsWord = "regions:"
	headLen     = len(regionsWord) + 2 + 1
	lineLen     = 16 + 1 + 16 + 1 + 8 + 1 + 8 + 1 + MaxRegionName + 1
)

// How long an end waits for regions that may never come.
const (
	serverPatience = 500 * time.Millisecond
	clientPatience = 2 * time.Second
)

// regionsWire encodes up to MaxRegions regions.
func regionsWire(list []Region) []byte {
	list = list[:min(len(list), MaxRegions)]
	b := fmt.Appendf(nil, "%s%02x\x00", regionsWord, len(list))
	for _, r := range list {
		b = fmt.Appendf(b, "%016x:%016x:%08x:%08x:%-*s\x00", r.Addr, r.Length, r.RKey, uint32(r.Access),
			MaxRegionName, r.Name)
	}
	return b
}

// regionCount parses the head.
func regionCount(head []byte) (int, error) {
	digits, ok := strings.CutPrefix(string(head), regionsWord)
	n, err := strconv.ParseUint(strings.TrimSuffix(digits, "\x00"), 16, 8)
	if !ok || len(head) != headLen || head[headLen-1] != 0 || err != nil || n > MaxRegions {
		return 0, fmt.Errorf("the peer's regions begin with %q instead of %sNN, with NN at most %d", head,
			regionsWord, MaxRegions)
	}
	return int(n), nil
}

// parseRegion parses the line of one region.
func parseRegion(b []byte) (r Region, err error) {
	bad := func(why string) (Region, error) { return Region{}, fmt.Errorf("the peer's region %q: %s", b, why) }
	columns := strings.SplitN(strings.TrimSuffix(string(b), "\x00"), ":", 5)
	if len(b) != lineLen || b[lineLen-1] != 0 || len(columns) != 5 {
		return bad("not of the form ADDR:LENGTH:RKEY:ACCESS:NAME")
	}
	var numbers [4]uint64
	for i, digits := range []int{16, 16, 8, 8} {
		if numbers[i], err = strconv.ParseUint(columns[i], 16, 4*digits); err != nil || len(columns[i]) != digits {
			return bad(fmt.Sprintf("column %d is not %d hexadecimal digits", i+1, digits))
		}
	}
	r = Region{
		Name: strings.TrimRight(columns[4], " "), Addr: numbers[0], Length: numbers[1],
		RKey: uint32(numbers[2]), Access: verbs.Access(numbers[3]),
	}
	switch {
	case !isRegionName(r.Name):
		return bad("the name has characters other than letters, digits and '_'")
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

// RegionName turns the name of an object into a valid name for a Region.
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

// ParseRegions decodes what regionsWire encodes. It refuses two regions with one name.
func ParseRegions(b []byte) (list []Region, err error) {
	n, err := regionCount(b[:min(len(b), headLen)])
	if err == nil && len(b) != headLen+n*lineLen {
		err = fmt.Errorf("%s need %s, not %s", format.Counted(n, "region"), format.Counted(headLen+n*lineLen, "byte"),
			format.Count(uint64(len(b))))
	}
	seen := map[string]bool{}
	for i := 0; i < n && err == nil; i++ {
		var r Region
		r, err = parseRegion(b[headLen+i*lineLen:][:lineLen])
		if list = append(list, r); err == nil && seen[r.Name] {
			err = fmt.Errorf("the peer has two regions named %s", r.Name)
		}
		seen[r.Name] = true
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// errNotTold says that the peer sent no regions: it is a stock program or an older version.
var errNotTold = errors.New("the peer sent no regions")

// receiveRegions reads the peer's regions, or returns errNotTold if none come in time.
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
		return nil, fmt.Errorf("the peer's %s: %w", format.Counted(n, "region"), err)
	}
	return ParseRegions(b)
}

// hungUp reports whether an error means that the peer closed the connection.
func hungUp(err error) bool {
	for _, e := range []error{io.EOF, io.ErrClosedPipe, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// EndAsClient sends "done", receives the server's regions and answers with its own. A
// server that sends none is not an error: told is then false.
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

// EndAsServer receives "done", sends its own regions, and receives those of a client that
// answers.
func (c *Conn) EndAsServer(ctx context.Context, own []Region) (theirs []Region, told bool, err error) {
	if err := c.ReceiveDone(ctx); err != nil {
		return nil, false, err
	}
	bounded, cancel := context.WithTimeout(ctx, serverPatience)
	defer cancel()
	if err := c.write(bounded, regionsWire(own)); err != nil {
		return nil, false, ctx.Err() // a stock client has closed the connection or does not read
	}
	return heard(c.receiveRegions(ctx, serverPatience))
}

func heard(list []Region, err error) ([]Region, bool, error) {
	if errors.Is(err, errNotTold) {
		return nil, false, nil
	}
	return list, err == nil, err
}
