package world

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rdmatui/verbs/wire"
)

var (
	oneSeed = flag.Uint64("seed", 0, "run this seed alone; with -v its time line is printed")
	count   = flag.Int("seeds", 200, "how many seeds TestWorld runs")
	first   = flag.Uint64("first", 0, "the first of them; 0: one that derives from the commit")
	lasting = flag.Duration("for", 0, "run seeds for so long instead")
)

// kept holds seeds that have failed before.
//
//go:embed testdata/seeds.txt
var kept string

// totals counts the work of all seeds of a test.
type totals struct{ seeds, steps, requests, packets, failures atomic.Int64 }

func (s *totals) add(r result) {
	s.seeds.Add(1)
	s.steps.Add(int64(r.steps))
	s.requests.Add(int64(r.requests))
	s.packets.Add(int64(r.packets))
}

func (s *totals) line(begun time.Time) string {
	return fmt.Sprintf("%d seeds, %d failed, %d steps, %d requests, %d packets, %.1f seeds/s", s.seeds.Load(),
		s.failures.Load(), s.steps.Load(),
		s.requests.Load(), s.packets.Load(), float64(s.seeds.Load())/time.Since(begun).Seconds())
}

// maxFailures is the number of failed seeds after which no more are run.
const maxFailures = 5

// TestWorld runs the given seed, or many.
func TestWorld(t *testing.T) {
	if *oneSeed != 0 {
		r := simulate(t, *oneSeed, testing.Verbose())
		report(t, *oneSeed, r)
		t.Logf("seed %d: digest %016x, %d packets, %d requests, %v of virtual time", *oneSeed, r.digest, r.packets,
			r.requests, r.virtual)
		return
	}
	base := *first
	if base == 0 {
		base = commitSeed()
	}
	var sum totals
	var next atomic.Uint64
	begun := time.Now()
	t.Run("seeds", func(t *testing.T) {
		for worker := range runtime.GOMAXPROCS(0) {
			t.Run(strconv.Itoa(worker), func(t *testing.T) {
				t.Parallel()
				for sum.failures.Load() < maxFailures {
					i := next.Add(1) - 1
					if *lasting > 0 && time.Since(begun) > *lasting || *lasting == 0 && i >= uint64(*count) {
						return
					}
					if report(t, base+i, simulate(t, base+i, false)).tally(&sum); *lasting > 0 && i%1000 == 999 {
						fmt.Println(sum.line(begun))
					}
				}
			})
		}
	})
	fmt.Printf("seeds from %d: %s\n", base, sum.line(begun))
}

// outcome is a result that was reported.
type outcome struct {
	result
	failed bool
}

func (o outcome) tally(s *totals) {
	s.add(o.result)
	if o.failed {
		s.failures.Add(1)
	}
}

// report fails the test with the problems and the command that runs the seed again.
func report(t *testing.T, seed uint64, r result) outcome {
	t.Helper()
	if len(r.problems) == 0 {
		return outcome{r, false}
	}
	text := fmt.Sprintf("seed %d: %s\n    %s", seed, strings.Join(r.problems, "\n    "), replay(seed))
	if *lasting > 0 {
		fmt.Println(text) // at once: a test's own output appears only when it ends
	}
	t.Error(text)
	return outcome{r, true}
}

// commitSeed derives a seed from the checked-out commit, so that a failure can be repeated; 1 if git does not report
// it.
func commitSeed() uint64 {
	out, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return 1
	}
	sum := sha256.Sum256(out)
	return binary.BigEndian.Uint64(sum[:]) >> 16
}

// TestKeptSeeds runs the seeds that have failed before.
func TestKeptSeeds(t *testing.T) {
	lines := bufio.NewScanner(strings.NewReader(kept))
	for lines.Scan() {
		text, _, _ := strings.Cut(lines.Text(), "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		report(t, seed, simulate(t, seed, false))
	}
}

// TestSameSeedSameRun runs seeds twice and compares the digests.
func TestSameSeedSameRun(t *testing.T) {
	n := 40
	if testing.Short() {
		n = 10
	}
	seeds := []uint64{122934320668471} // two connections left at one instant, and their timers fired in any order
	for i := range n {
		seeds = append(seeds, commitSeed()+uint64(i))
	}
	for _, seed := range seeds {
		if a, b := simulate(t, seed, false), simulate(t, seed, false); a.digest != b.digest {
			t.Errorf("seed %d: digests %016x and %016x", seed, a.digest, b.digest)
		}
	}
}

// tracePacket shows a packet in the trace.
func (w *world) tracePacket(p *packet) {
	if !w.trace {
		return
	}
	h, err := wire.Parse(p.data)
	text := h.String()
	if err != nil {
		text = fmt.Sprint(err)
	}
	w.tracef("  %s > %s QP %06x %s (%08x)", p.path.Src, p.path.Dst, p.destQP(), text,
		binary.LittleEndian.Uint32(p.data[len(p.data)-4:]))
}

// TestMain ends a run that hangs and names its current seeds: a seed hangs if something blocks outside virtual time.
func TestMain(m *testing.M) {
	flag.Parse()
	go watch()
	os.Exit(m.Run())
}

// stuckAfter is the longest time that one seed may take.
const stuckAfter = 5 * time.Minute

func watch() {
	for range time.Tick(10 * time.Second) {
		running.Range(func(seed, since any) bool {
			if time.Since(since.(time.Time)) < stuckAfter {
				return true
			}
			buf := make([]byte, 1<<20)
			fmt.Fprintf(os.Stderr, "liveness: seed %d hangs; %s\n%s\n", seed, replay(seed.(uint64)),
				buf[:runtime.Stack(buf, true)])
			os.Exit(2)
			return false
		})
	}
}
