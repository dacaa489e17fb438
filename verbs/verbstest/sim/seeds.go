package sim

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	oneSeed = flag.Uint64("seed", 0, "run this seed alone; with -v its time line is printed")
	count   = flag.Int("seeds", 0, "how many seeds TestWorld runs; 0: the world's own number")
	first   = flag.Uint64("first", 0, "the first of them; 0: one that derives from the commit")
	lasting = flag.Duration("for", 0, "run seeds for so long instead")
)

// Kind is a kind of world: it plays one world of a seed and tells how many seeds its tests run.
type Kind struct {
	Path  string // of the package that tests it, as in "./session/world"
	Seeds int    // how many seeds TestWorld runs without -seeds
	Kept  string // seeds that have failed before, one a line; # begins a comment
	// Play plays a world from beginning to end and returns what it counted, in a fixed order.
	Play func(*World) []Count
}

// Count is a number of things that happened in a run.
type Count struct {
	What string
	N    int
}

// result describes a run after its end.
type result struct {
	digest   uint64
	counts   []Count
	virtual  time.Duration
	problems []string
}

// maxFailures is the number of failed seeds after which no more are run.
const maxFailures = 5

// totals counts the work of all seeds of a test.
type totals struct {
	begun    time.Time
	failures atomic.Int64

	mu    sync.Mutex
	seeds int
	sum   []Count
}

func (s *totals) add(counts []Count) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seeds++
	if s.sum == nil {
		s.sum = make([]Count, len(counts))
	}
	for i, c := range counts {
		s.sum[i] = Count{c.What, s.sum[i].N + c.N}
	}
}

func (s *totals) line() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("%d seeds, %d failed, %s, %.1f seeds/s", s.seeds, s.failures.Load(), list(s.sum),
		float64(s.seeds)/time.Since(s.begun).Seconds())
}

func list(counts []Count) string {
	var parts []string
	for _, c := range counts {
		parts = append(parts, fmt.Sprint(c.N, " ", c.What))
	}
	return strings.Join(parts, ", ")
}

// TestWorld runs the seed that -seed gives, or many.
func (k *Kind) TestWorld(t *testing.T) {
	if *oneSeed != 0 {
		r := k.simulate(t, *oneSeed, testing.Verbose())
		k.report(t, *oneSeed, r)
		t.Logf("seed %d: digest %016x, %s, %v of virtual time", *oneSeed, r.digest, list(r.counts), r.virtual)
		return
	}
	base, seeds := *first, uint64(*count)
	if base == 0 {
		base = commitSeed()
	}
	if seeds == 0 {
		seeds = uint64(k.Seeds)
	}
	sum := totals{begun: time.Now()}
	var next atomic.Uint64
	t.Run("seeds", func(t *testing.T) {
		for worker := range runtime.GOMAXPROCS(0) {
			t.Run(strconv.Itoa(worker), func(t *testing.T) {
				t.Parallel()
				for sum.failures.Load() < maxFailures {
					i := next.Add(1) - 1
					if *lasting > 0 && time.Since(sum.begun) > *lasting || *lasting == 0 && i >= seeds {
						return
					}
					r := k.simulate(t, base+i, false)
					if sum.add(r.counts); k.report(t, base+i, r) {
						sum.failures.Add(1)
					}
					if *lasting > 0 && i%1000 == 999 {
						fmt.Println(sum.line())
					}
				}
			})
		}
	})
	fmt.Printf("seeds from %d: %s\n", base, sum.line())
}

// report fails the test with the problems of a run and the command that runs the seed again.
func (k *Kind) report(t *testing.T, seed uint64, r result) (failed bool) {
	t.Helper()
	if len(r.problems) == 0 {
		return false
	}
	text := fmt.Sprintf("seed %d: %s\n    %s", seed, strings.Join(r.problems, "\n    "), k.replay(seed))
	if *lasting > 0 {
		fmt.Println(text) // at once: a test's own output appears only when it ends
	}
	t.Error(text)
	return true
}

// replay returns the command that runs a seed again.
func (k *Kind) replay(seed uint64) string {
	return fmt.Sprintf("again: go test %s -run 'TestWorld$' -seed=%d -v", k.Path, seed)
}

// commitSeed derives a seed from the checked-out commit, so that a failure can be repeated; 1 if git fails.
func commitSeed() uint64 {
	out, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return 1
	}
	sum := sha256.Sum256(out)
	return binary.BigEndian.Uint64(sum[:]) >> 16
}

// TestKept runs the seeds that have failed before.
func (k *Kind) TestKept(t *testing.T) {
	lines := bufio.NewScanner(strings.NewReader(k.Kept))
	for lines.Scan() {
		text, _, _ := strings.Cut(lines.Text(), "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		k.report(t, seed, k.simulate(t, seed, false))
	}
}

// TestSame runs n seeds, and the given ones, twice: the digests must be equal.
func (k *Kind) TestSame(t *testing.T, n int, seeds ...uint64) {
	for i := range n {
		seeds = append(seeds, commitSeed()+uint64(i))
	}
	for _, seed := range seeds {
		if a, b := k.simulate(t, seed, false), k.simulate(t, seed, false); a.digest != b.digest {
			t.Errorf("seed %d: digests %016x and %016x", seed, a.digest, b.digest)
		}
	}
}

// running holds the current seeds and their start times.
var running sync.Map

// stuckAfter is the longest time that one seed may take.
const stuckAfter = 5 * time.Minute

// Main is the TestMain of a package that tests worlds. It ends a run that hangs and names its seeds: a seed hangs if
// something blocks outside virtual time.
func (k *Kind) Main(m *testing.M) {
	flag.Parse()
	go k.watch()
	os.Exit(m.Run())
}

func (k *Kind) watch() {
	for range time.Tick(10 * time.Second) {
		running.Range(func(seed, since any) bool {
			if time.Since(since.(time.Time)) < stuckAfter {
				return true
			}
			buf := make([]byte, 1<<20)
			fmt.Fprintf(os.Stderr, "liveness: seed %d hangs; %s\n%s\n", seed, k.replay(seed.(uint64)),
				buf[:runtime.Stack(buf, true)])
			os.Exit(2)
			return false
		})
	}
}
