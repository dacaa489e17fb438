package bench

import (
	"context"
)

// measure runs the test with each message size. The order of its swaps with the peer
// is that of the main functions of perftest's programs.
func (r *Run) measure(ctx context.Context) error {
	if r.p.Test.Latency {
		return r.measureLatency(ctx)
	}
	return r.measureBandwidth(ctx)
}

func (r *Run) measureLatency(ctx context.Context) error {
	if r.p.Test.OneSided() && !r.p.Client() {
		return serve(ctx, r) // the client reads, or operates on, this end's memory
	}
	for _, size := range r.p.Sizes(r.p.Size) {
		l := r.newLoop(size)
		if r.p.Test.Verb == Send {
			if err := l.postRecvs(&r.lanes[0], 0, l.recvs()); err != nil {
				return err
			}
			if err := r.wait(ctx); err != nil {
				return err
			}
		}
		if err := l.run(ctx, l.turns); err != nil {
			return err
		}
		r.tell(Result{Latency: l.latency()})
	}
	return endLatency(ctx, r)
}

// endLatency waits for the peer at the end of a latency test.
func endLatency(ctx context.Context, r *Run) error {
	if r.p.Test == (Test{Verb: Write, Latency: true}) {
		// ib_write_lat ends without a last swap. Its last WRITE may be under way, and on rxe it would never
		// complete without this end's queue pair: ib_write_lat would wait for ever.
		r.link.part(ctx)
		return nil
	}
	return r.wait(ctx)
}

// recvs returns how many RECVs a loop begins with.
func (l *loop) recvs() uint64 {
	depth := uint64(l.p.RXDepth)
	if l.srq != nil {
		depth /= uint64(l.p.QPs)
	}
	if l.iters > 0 {
		return min(depth, l.iters)
	}
	return depth
}

// latency computes the report.
func (l *loop) latency() *Latency {
	ways := l.p.Test.Ways()
	if l.iters == 0 {
		report := NewLatencyOver(l.size, l.counted, l.to-l.from, ways)
		return &report
	}
	report := NewLatency(l.size, l.iters, l.Samples(nil, 0), ways)
	return &report
}

func (r *Run) measureBandwidth(ctx context.Context) error {
	send := r.p.Test.Verb == Send
	if !send && !r.p.Client() && !r.p.Bidirectional {
		return r.watchClient(ctx)
	}
	var last Report
	for _, size := range r.p.Sizes(r.p.Size) {
		l := r.newLoop(size)
		if r.p.Receives() {
			for i := range r.lanes {
				if err := l.postRecvs(&r.lanes[i], i, l.recvs()); err != nil {
					return err
				}
			}
		}
		if send || r.p.Bidirectional {
			if err := r.wait(ctx); err != nil {
				return err
			}
		}
		if err := l.run(ctx, l.work()); err != nil {
			return err
		}
		last = l.report()
		if err := r.tellBandwidth(ctx, last); err != nil {
			return err
		}
	}
	if !send && !r.p.Bidirectional {
		if err := r.wait(ctx); err != nil {
			return err
		}
		if _, err := r.x.Reports(ctx, last); err != nil {
			return err
		}
	}
	return r.wait(ctx)
}

// watchClient is the server's part in a test in which only the client posts requests.
func (r *Run) watchClient(ctx context.Context) error {
	if err := serve(ctx, r); err != nil {
		return err
	}
	theirs, err := r.reports(ctx, Report{})
	if err != nil {
		return err
	}
	r.tell(Result{Report: theirs})
	return r.wait(ctx)
}

// work returns the loop of this end.
func (l *loop) work() func() error {
	switch {
	case l.p.Test.Verb == Send && l.p.Bidirectional:
		return l.both
	case l.p.Sends():
		return l.stream
	}
	return l.receive
}

// report computes the report of a bandwidth.
func (l *loop) report() Report {
	l.bw.Size, l.bw.Iters = l.size, l.total
	if l.iters == 0 {
		l.bw.Iters, l.bw.Over = l.counted, l.to-l.from
	}
	if l.p.NoPeak {
		l.bw.Posted = nil
	}
	r := l.bw.Report(l.p.Gbits)
	if l.p.NoPeak {
		r.Peak = 0
	}
	return r
}

// tellBandwidth exchanges reports if both ends have one, waits for the peer where its
// program does, and tells the result.
func (r *Run) tellBandwidth(ctx context.Context, own Report) error {
	send := r.p.Test.Verb == Send
	if r.p.All && r.p.Bidirectional && !send {
		if err := r.wait(ctx); err != nil {
			return err
		}
	}
	res := Result{Report: own}
	if r.p.Bidirectional && !(send && r.p.Duration > 0) {
		theirs, err := r.reports(ctx, own)
		if err != nil {
			return err
		}
		res.Local, res.Remote = &own, &theirs
		res.Report.Peak += theirs.Peak
		res.Report.Average += theirs.Average
		res.Report.Rate += theirs.Rate
	}
	r.tell(res)
	if r.p.All && send {
		return r.wait(ctx)
	}
	return nil
}

// reports exchanges reports with a peer that has measured.
func (r *Run) reports(ctx context.Context, own Report) (theirs Report, err error) {
	if theirs, err = r.x.Reports(ctx, own); err == nil {
		err = theirs.Check()
	}
	return theirs, err
}

func (r *Run) tell(res Result) {
	if r.watch.Measured != nil {
		r.watch.Measured(res)
	}
}
