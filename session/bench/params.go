package bench

import (
	"errors"
	"fmt"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// Params are the parameters of a test, as the flags of perftest's programs set them.
// The comments name the flags. Both ends must be given the same values: perftest
// exchanges only what [Exchange] lists.
type Params struct {
	Test   Test
	Host   string // the server's; "": this end is the server
	Device string // -d; "": choose one
	Port   uint16 // -p: TCP port of the exchange; 0: the server takes a free one
	Bind   string // --bind: IP address at which the server listens, or "any"; "": those of the device, with -R any

	DevicePort   uint8        // -i; 0: choose one
	GIDIndex     int          // -x; -1: choose one
	Connection   verbs.QPType // -c
	MTU          verbs.MTU    // -m; 0: the port's
	ServiceLevel uint8        // -S
	TrafficClass uint8        // --tclass
	Timeout      uint8        // -u: the code of the ACK timeout
	CM           bool         // -R: connect through the connection manager
	TOS          int          // -T: of the connection manager's queue pairs; -1: not set
	PKeyIndex    uint16       // --pkey_index
	RetryCount   uint8        // --retry_count
	Vector       int          // -X: interrupt of completion events; -1: the first
	HugePages    bool         // --use_hugepages
	OnDemand     bool         // --odp: register memory without pinning it
	SharedQueue  bool         // --use-srq: one receive queue for all queue pairs, of RXDepth RECVs

	Size          uint64        // -s
	All           bool          // -a: every power of two from 2 B on
	Iters         uint64        // -n, of each queue pair
	Duration      time.Duration // -D; 0: as many iterations as Iters says
	Margin        time.Duration // -f: not measured at both ends of Duration; -1: a quarter
	QPs           int           // -q
	Bidirectional bool          // -b
	Events        bool          // -e: wait for completion events instead of polling
	TXDepth       int           // -t: send requests outstanding on each queue pair
	RXDepth       int           // -r: RECVs posted on each queue pair
	PostList      int           // -l: requests posted in one call
	CQMod         int           // -Q: one completion for this many requests; 0: as perftest
	Inline        int           // -I: bytes; -1: as perftest
	Outs          int           // -o: READs and atomics outstanding; 0: the device's maximum
	CmpSwap       bool          // -A CMP_AND_SWAP instead of FETCH_AND_ADD
	NoPeak        bool          // -N: do not compute the peak
	Gbits         bool          // --report_gbits
	ReportBoth    bool          // --report-both: with -b, one report for each direction
}

// Defaults and limits of perftest; perftest_parameters.h.
const (
	DefaultPort = 18515
	MaxSize     = 8 << 20 // the largest size of -a
	maxMessage  = 1 << 31
	maxIters    = 100_000_000
	minIters    = 5
	maxDepth    = 15_000
	maxRXDepth  = 16_384
	maxQPs      = 16_384
	maxCQMod    = 1024
	maxInline   = 912
	maxInlineUD = 884
	maxSL       = 15
	maxRetry    = 7

	// cqModSize is the size above which perftest moderates no completions, so that
	// the last ones count when they come.
	cqModSize = 8192
	// peakIters is the number of iterations above which perftest computes no peak.
	peakIters = 20_000
	// DefaultQKey is the Q_Key of UD queue pairs.
	DefaultQKey = 0x11111111
	// CMQKey is the Q_Key that the connection manager gives them; RDMA_UDP_QKEY.
	CMQKey = 0x01234567
	// DefaultTimeout is the code of the ACK timeout.
	DefaultTimeout = 14
	// MinRNRTimer is the code of min_rnr_timer.
	MinRNRTimer = 12
)

// DefaultParams returns what perftest uses without flags.
func DefaultParams(t Test) Params {
	p := Params{
		Test: t, Port: DefaultPort, GIDIndex: -1, Connection: verbs.RC, Timeout: DefaultTimeout, Margin: -1,
		TOS: -1, RetryCount: maxRetry, Vector: -1,
		Size: 65536, Iters: 1000, QPs: 1, TXDepth: 128, RXDepth: 1, PostList: 1, Inline: -1,
	}
	if t.Latency {
		p.Size, p.TXDepth = 2, 1
	}
	switch {
	case t.Verb == Atomic:
		p.Size = verbs.AtomicLen
	case t.Verb == Write && !t.Latency:
		p.Iters = 5000
	case t.Verb == Send:
		p.RXDepth = 512
	}
	return p
}

// Client reports whether this end begins the exchange.
func (p *Params) Client() bool { return p.Host != "" }

// Sends reports whether this end posts send requests.
func (p *Params) Sends() bool {
	return p.Client() || p.Bidirectional || p.Test.Latency && !p.Test.OneSided()
}

// Receives reports whether this end posts RECVs.
func (p *Params) Receives() bool {
	return p.Test.Verb == Send && (p.Test.Latency || !p.Client() || p.Bidirectional)
}

// Check reports the first parameter that this test cannot have.
func (p *Params) Check() error {
	for _, limit := range []struct {
		flag        string
		value       uint64
		least, most uint64
	}{
		{"-s", p.Size, 1, maxMessage},
		{"-n", p.Iters, minIters, maxIters},
		{"-q", uint64(p.QPs), 1, maxQPs},
		{"-t", uint64(p.TXDepth), 1, maxDepth},
		{"-r", uint64(p.RXDepth), 1, maxRXDepth},
		{"-l", uint64(p.PostList), 1, maxDepth},
		{"-Q", uint64(p.CQMod), 0, maxCQMod},
		{"-I", uint64(max(p.Inline, 0)), 0, p.mostInline()},
		{"-S", uint64(p.ServiceLevel), 0, maxSL},
		{"-u", uint64(p.Timeout), 0, 31},
		{"-p", uint64(p.Port), p.leastPort(), 65535},
		{"-o", uint64(p.Outs), 0, 255},
		{"--retry_count", uint64(p.RetryCount), 0, maxRetry},
		{"-T", uint64(max(p.TOS, 0)), 0, 255},
	} {
		if limit.value < limit.least || limit.value > limit.most {
			return fmt.Errorf("%s %d: must be from %d to %s", limit.flag, int64(limit.value), limit.least,
				format.Count(limit.most))
		}
	}
	if p.Bind != "" && p.Client() {
		return fmt.Errorf("--bind %s: only a server listens; leave HOST out", p.Bind)
	}
	if err := p.checkConnection(); err != nil {
		return err
	}
	return p.checkTogether()
}

// leastPort returns 0 for a server, which may take any free port.
func (p *Params) leastPort() uint64 {
	if p.Client() {
		return 1
	}
	return 0
}

func (p *Params) mostInline() uint64 {
	if p.Connection == verbs.UD {
		return maxInlineUD
	}
	return maxInline
}

// checkConnection reports operations that the transport service lacks.
func (p *Params) checkConnection() error {
	switch c := p.Connection; {
	case c != verbs.RC && c != verbs.UC && c != verbs.UD:
		return fmt.Errorf("-c %s is not supported: use RC, UC or UD", c)
	case c == verbs.UC && (p.Test.Verb == Read || p.Test.Verb == Atomic):
		return fmt.Errorf("-c UC: %s needs RC", p.Test)
	case c == verbs.UD && p.Test.Verb != Send:
		return fmt.Errorf("-c UD: only send-lat and send-bw use datagrams")
	case c == verbs.UC && p.CM:
		return errors.New("-c UC: the connection manager connects no UC queue pairs: use -R with RC or UD")
	case p.TOS >= 0 && !p.CM:
		return errors.New("-T: needs -R; use --tclass without it")
	case p.PKeyIndex > 0 && p.CM:
		return errors.New("--pkey_index: with -R the connection manager chooses it")
	case p.CM && p.GIDIndex >= 0:
		return errors.New("-x: with -R the address decides on the GID")
	case p.CM && p.Port == 0:
		return errors.New("-p 0: -R needs a port")
	}
	return nil
}

// checkTogether reports flags that exclude each other, as in perftest.
func (p *Params) checkTogether() error {
	margin := p.margin()
	switch {
	case p.Test.Verb == Atomic && p.Size != verbs.AtomicLen:
		return fmt.Errorf("-s %d: atomic operations have 8 bytes", p.Size)
	case p.Test.Verb == Atomic && p.All:
		return errors.New("-a: atomic operations have 8 bytes")
	case p.All && p.Duration > 0:
		return errors.New("-a and -D exclude each other")
	case p.SharedQueue && p.Test.Verb != Send:
		return errors.New("--use-srq: only send-lat and send-bw use RECVs")
	case p.SharedQueue && p.QPs > p.RXDepth:
		return fmt.Errorf("--use-srq: -r %d must be at least -q %d", p.RXDepth, p.QPs)
	case p.Vector >= 0 && !p.Events:
		return errors.New("-X: needs -e")
	case p.OnDemand && (p.Test.Verb == Atomic || p.Connection == verbs.UC):
		return errors.New("--odp: not with atomic operations or UC")
	case p.Events && p.Duration > 0:
		return errors.New("-e and -D exclude each other")
	case p.Events && p.Test == Test{Write, true}:
		return errors.New("-e: write-lat polls memory, since a WRITE has no completion at the peer")
	case p.Bidirectional && p.Test.Latency:
		return fmt.Errorf("-b: %s is not a bandwidth test", p.Test)
	case p.PostList > 1 && p.Test.Latency:
		return fmt.Errorf("-l: %s posts one request at a time", p.Test)
	case p.QPs > 1 && p.Test.Latency:
		return fmt.Errorf("-q: %s uses one queue pair", p.Test)
	case p.PostList > 1 && p.Duration == 0 && p.Iters%uint64(p.PostList) != 0:
		return fmt.Errorf("-n %d: must be a multiple of -l %d", p.Iters, p.PostList)
	case p.PostList > 1 && p.CQMod > 0 && p.PostList%p.CQMod != 0:
		return fmt.Errorf("-l %d: must be a multiple of -Q %d", p.PostList, p.CQMod)
	case p.PostList > p.TXDepth:
		return fmt.Errorf("-l %d: must not exceed -t %d", p.PostList, p.TXDepth)
	case p.ReportBoth && !p.Bidirectional:
		return errors.New("--report-both needs -b")
	case p.Duration < 0 || p.Duration > 0 && p.Duration <= 2*margin:
		return fmt.Errorf("-D must be longer than twice the margin of %s", format.Span(margin))
	case p.GIDIndex < -1:
		return fmt.Errorf("-x %d: a GID index is at least 0", p.GIDIndex)
	}
	return nil
}

// margin returns the time at both ends of Duration that is not measured. perftest
// counts whole seconds.
func (p *Params) margin() time.Duration {
	if p.Margin >= 0 {
		return p.Margin
	}
	return (p.Duration / 4).Truncate(time.Second)
}

// Settle returns the parameters with the dependent ones set, as perftest does before
// it opens the device; force_dependecies in perftest_parameters.c.
func (p Params) Settle() Params {
	p.Margin = p.margin()
	if p.Duration == 0 {
		p.TXDepth = int(min(uint64(p.TXDepth), p.Iters))
		if p.Test.Verb == Send {
			p.RXDepth = int(min(uint64(p.RXDepth), p.Iters))
		}
		if p.Test.Verb == Send && p.Connection != verbs.RC && p.RXDepth == 512 {
			p.RXDepth = int(min(p.Iters, 16_000)) // nothing waits for a RECV: have one for each message
		}
		p.NoPeak = p.NoPeak || p.Iters > peakIters
	} else {
		p.NoPeak = true
	}
	if p.Test == (Test{Send, false}) && !p.Client() && !p.Bidirectional {
		p.NoPeak = true
	}
	if p.Test.Verb == Send && p.RXDepth%2 == 1 && !p.All {
		p.RXDepth++
	}
	if p.CQMod == 0 {
		p.CQMod = 100
		switch {
		case p.PostList > 1:
			p.CQMod = p.PostList
		case p.Size > cqModSize && p.Connection != verbs.UD && !p.All && !p.Events:
			p.CQMod = 1
		}
	}
	p.CQMod = min(p.CQMod, p.TXDepth)
	if p.All {
		p.Size = MaxSize
	}
	return p
}

// Sizes returns the message sizes of the test, in order. most bounds those of -a: a
// datagram is one packet.
func (p *Params) Sizes(most uint64) (sizes []uint64) {
	if !p.All {
		return []uint64{p.Size}
	}
	for size := uint64(2); size <= min(MaxSize, most); size *= 2 {
		sizes = append(sizes, size)
	}
	return sizes
}

// DefaultInline returns max_inline_data without -I: only latency tests use inline
// data, and only on devices whose driver perftest knows to gain from it.
func (p *Params) DefaultInline() int {
	switch {
	case !p.Test.Latency:
		return 0
	case p.Test.Verb == Write:
		return 220
	case p.Test.Verb == Send && p.Connection == verbs.UD:
		return 188
	case p.Test.Verb == Send:
		return 236
	}
	return 0
}
