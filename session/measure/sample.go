package measure

import (
	"slices"
	"sync"
	"time"

	"rdmatui/session/bench"
	"rdmatui/verbs/format"
)

// Point is what a test did in one interval.
type Point struct {
	At       time.Duration // the end of the interval, since the first one began
	Over     time.Duration // its length
	Size     uint64        // of the messages
	Phase    int           // index of the phase
	Messages uint64        // that completed: sent, or received if this end only receives
	Received uint64        // with -b, as far as this program knows
	Latency  time.Duration // of these messages, the mean, as the report counts it; 0 in bandwidth tests
}

// Rate returns the messages per second, of both directions.
func (p *Point) Rate() float64 {
	if p.Over <= 0 {
		return 0
	}
	return float64(p.Messages+p.Received) / p.Over.Seconds()
}

// Directions returns what was sent and what was received as points of their own.
func (p *Point) Directions() (sent, received Point) {
	sent, received = *p, *p
	sent.Received, received.Messages, received.Received = 0, p.Received, 0
	return sent, received
}

// Throughput returns the bytes per second.
func (p *Point) Throughput() float64 { return p.Rate() * float64(p.Size) }

const (
	interval = 100 * time.Millisecond
	// least is the shortest interval worth a point of its own: less would be noise.
	least = 20 * time.Millisecond
	// maxPoints bounds the history. When it is full, neighbours are merged.
	maxPoints = 1 << 14
	// maxSamples bounds the samples that are kept.
	maxSamples = 1 << 22
	// counterEvery is how often counters are read, in intervals.
	counterEvery = 10
)

// running is what a sampler asks a run.
type running interface {
	Progress() bench.Progress
	Samples(dst []time.Duration, from int) []time.Duration
	Lanes() []bench.Lane
	Thread() int
	Passive() bool
	Look() error
}

// sampler looks at a test while it runs.
type sampler struct {
	test  *Test
	clock func() time.Time

	mu          sync.Mutex
	segment     *segment // nil: none is connected yet
	begun       bool     // a message of the segment was seen
	phase       int
	began, last time.Time
	seen        bench.Progress
	got         uint64 // messages received at this size, with -b
	taken       int    // samples of this size that were looked at
	hist        *Histogram
	ticks       int
	threads     *threadReader
	blind       bool // what a passive end serves cannot be known
}

// loop looks at the test until stop is closed, and once more.
func (s *sampler) loop(stop <-chan struct{}) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.look(false)
		case <-stop:
			s.look(true)
			return
		}
	}
}

// follow looks at another segment from now on. The one before has ended.
func (s *sampler) follow(g *segment) {
	s.look(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun {
		v := s.test.View()
		spread := v.exact()
		s.test.change(func(v *View) {
			v.Phases = slices.Clone(v.Phases)
			v.Phases[s.phase].Spread = spread
		})
		s.phase++
	}
	if s.threads == nil {
		s.threads = newThreadReader()
	}
	s.segment, s.begun, s.seen = g, false, bench.Progress{}
}

// look takes what was added since the last time.
func (s *sampler) look(end bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.segment == nil {
		return
	}
	run := s.segment.run
	var counters []Counter
	if s.ticks%counterEvery == 0 || end {
		counters = s.segment.counters.read()
	}
	s.ticks++
	threads := s.threads.look(s.segment, end)
	if run.Passive() {
		s.lookPassive()
	}
	p, now := run.Progress(), s.clock() // in this order: the test may begin in between
	if !s.begun && p.Messages > 0 {
		s.begin(p)
	}
	fresh := p.Messages
	if p.Size == s.seen.Size && p.Since.Equal(s.seen.Since) {
		fresh -= min(s.seen.Messages, fresh)
	} else {
		s.taken, s.hist, s.got = 0, nil, 0
	}
	lanes := s.segment.lanes()
	over, got := now.Sub(s.last), uint64(0)
	if s.segment.p.Bidirectional {
		for i := range lanes {
			got += lanes[i].Received
		}
	}
	if !s.begun || end && over < least && fresh == 0 && got <= s.got {
		s.tell(p, nil, nil, lanes, counters, threads)
		return
	}
	point := Point{At: now.Sub(s.began), Over: over, Size: p.Size, Phase: s.phase, Messages: fresh,
		Received: got - min(s.got, got)}
	s.got = got
	samples := run.Samples(nil, s.taken)
	s.taken += len(samples)
	point.Latency = latency(s.segment.p.Test, samples, over, fresh)
	s.last, s.seen = now, p
	s.tell(p, &point, samples, lanes, counters, threads)
}

// lookPassive looks at what the client does to this end.
func (s *sampler) lookPassive() {
	if s.blind {
		return
	}
	if err := s.segment.run.Look(); err != nil {
		s.blind = true
		s.test.change(func(v *View) { v.Blind = format.Problems(err) })
	}
}

// begin notes that the segment has begun to measure.
func (s *sampler) begin(p bench.Progress) {
	if s.began.IsZero() {
		s.began = p.Since
	}
	s.begun, s.last, s.seen.Since = true, p.Since, p.Since
	s.test.change(func(v *View) {
		v.Phases = append(slices.Clip(v.Phases), Phase{From: s.last.Sub(s.began), Params: s.segment.p})
	})
}

// latency returns the mean of the samples, or without samples the time per message.
func latency(test bench.Test, samples []time.Duration, over time.Duration, fresh uint64) time.Duration {
	switch {
	case !test.Latency || fresh == 0 && len(samples) == 0:
		return 0
	case len(samples) == 0:
		return over / time.Duration(fresh) / time.Duration(test.Ways())
	}
	var sum time.Duration
	for _, d := range samples {
		sum += d
	}
	return sum / time.Duration(len(samples)) / time.Duration(test.Ways())
}

// tell adds what was seen to the view.
func (s *sampler) tell(p bench.Progress, point *Point, samples []time.Duration, lanes []bench.Lane,
	counters []Counter, threads []Thread) {
	ways := s.segment.p.Test.Ways()
	anew := s.hist == nil
	if len(samples) > 0 && anew {
		s.hist = NewHistogram()
	}
	for _, d := range samples {
		s.hist.Add(d / time.Duration(ways))
	}
	s.test.change(func(v *View) {
		v.Progress, v.Lanes = p, lanes
		if point != nil {
			v.Points = appendPoint(v.Points, *point)
		}
		if threads != nil {
			v.Threads = threads
		}
		if counters != nil {
			v.Counters = counters
		}
		if s.hist == nil {
			v.Histogram, v.Samples, v.Spread = nil, nil, Spread{}
			return
		}
		if anew {
			v.Samples = nil
		}
		if s.taken <= maxSamples {
			v.Samples = append(v.Samples, samples...)
		} else {
			v.Samples = nil
		}
		v.Histogram = s.hist.clone()
		v.Spread = v.Histogram.Spread()
	})
}

// appendPoint adds a point. A short one becomes part of its predecessor. A full history is
// halved by merging neighbours.
func appendPoint(points []Point, p Point) []Point {
	if last := len(points) - 1; last >= 0 && p.Over < least && points[last].alike(&p) {
		return append(slices.Clone(points[:last]), merge(&points[last], &p)) // views keep the old ones
	}
	if len(points) < maxPoints {
		return append(points, p)
	}
	merged := make([]Point, 0, maxPoints)
	for i := 0; i < len(points); i++ {
		if i+1 < len(points) && points[i].alike(&points[i+1]) {
			merged = append(merged, merge(&points[i], &points[i+1]))
			i++
		} else {
			merged = append(merged, points[i])
		}
	}
	return append(merged, p)
}

// alike reports whether two points can be merged.
func (p *Point) alike(o *Point) bool { return p.Size == o.Size && p.Phase == o.Phase }

// merge returns two neighbours as one.
func merge(a, b *Point) Point {
	m := Point{At: b.At, Over: a.Over + b.Over, Size: b.Size, Phase: b.Phase, Messages: a.Messages + b.Messages,
		Received: a.Received + b.Received}
	if n := m.Messages; n > 0 {
		sum := float64(a.Latency)*float64(a.Messages) + float64(b.Latency)*float64(b.Messages)
		m.Latency = time.Duration(sum / float64(n))
	}
	return m
}

// Mean returns a phase as one interval, of its last message size; ok is false if nothing
// was measured in it.
func (v *View) Mean(phase int) (p Point, ok bool) {
	for i := len(v.Points) - 1; i >= 0; i-- {
		switch at := &v.Points[i]; {
		case at.Phase != phase:
		case !ok:
			p, ok = *at, true
		case at.alike(&p):
			p = merge(at, &p)
		}
	}
	return p, p.Messages > 0
}

// Last returns the index of the last phase.
func (v *View) Last() int { return max(len(v.Phases)-1, 0) }
