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
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	oneSeed = flag.Uint64("seed", 0, "run this seed alone; with -v its time line is printed")
	count   = flag.Int("seeds", 20, "how many seeds TestWorld runs")
	first   = flag.Uint64("first", 0, "the first of them; 0: one that derives from the commit")
	lasting = flag.Duration("for", 0, "run seeds for so long instead")
)

// kept are seeds that have failed once.
//
//go:embed testdata/seeds.txt
var kept string

// maxFailures is the number of failed seeds after which the rest is skipped.
const maxFailures = 5

// TestWorld runs seeds: the one given by -seed, or many.
func TestWorld(t *testing.T) {
	if *oneSeed != 0 {
		r := simulate(t, *oneSeed, testing.Verbose())
		report(t, *oneSeed, r)
		t.Logf("seed %d: digest %016x, %d lines, %d packets, %v of virtual time", *oneSeed, r.digest, r.lines,
			r.packets, r.virtual)
		return
	}
	base := *first
	if base == 0 {
		base = commitSeed()
	}
	var next, seeds, lines, succeeded, failures atomic.Int64
	begun := time.Now()
	t.Run("seeds", func(t *testing.T) {
		for worker := range runtime.GOMAXPROCS(0) {
			t.Run(strconv.Itoa(worker), func(t *testing.T) {
				t.Parallel()
				for failures.Load() < maxFailures {
					i := next.Add(1) - 1
					if *lasting > 0 && time.Since(begun) > *lasting || *lasting == 0 && i >= int64(*count) {
						return
					}
					r := simulate(t, base+uint64(i), false)
					seeds.Add(1)
					lines.Add(int64(r.lines))
					succeeded.Add(int64(r.succeeded))
					if report(t, base+uint64(i), r) {
						failures.Add(1)
					}
				}
			})
		}
	})
	n := seeds.Load()
	fmt.Printf("seeds from %d: %d seeds, %d failed, %d lines, of which %d succeeded, %.1f seeds/s\n",
		base, n, failures.Load(), lines.Load(), succeeded.Load(), float64(n)/time.Since(begun).Seconds())
}

// report fails the test with the problems of a run and the command that runs the seed again.
func report(t *testing.T, seed uint64, r result) bool {
	t.Helper()
	if len(r.problems) == 0 {
		return false
	}
	text := fmt.Sprintf("seed %d: %s\n    %s", seed, strings.Join(r.problems, "\n    "), replay(seed))
	if *lasting > 0 {
		fmt.Println(text) // immediately: the test's own output appears only when it ends
	}
	t.Error(text)
	return true
}

// replay returns the command that runs a seed again.
func replay(seed uint64) string {
	return fmt.Sprintf("again: go test ./session/world -run 'TestWorld$' -seed=%d -v", seed)
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

// TestKeptSeeds runs the seeds that have failed once.
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

// TestSameSeedSameRun runs seeds twice: the digests must be equal.
func TestSameSeedSameRun(t *testing.T) {
	for i := range 8 {
		seed := commitSeed() + uint64(i)
		if a, b := simulate(t, seed, false), simulate(t, seed, false); a.digest != b.digest {
			t.Errorf("seed %d: digests %016x and %016x", seed, a.digest, b.digest)
		}
	}
}

// running has the seeds that run at the moment, with their start times.
var running sync.Map

// TestMain ends a run that hangs and prints its seeds: a seed hangs if it blocks outside virtual time.
func TestMain(m *testing.M) {
	flag.Parse()
	go watch()
	os.Exit(m.Run())
}

// stuckAfter is the time limit of one seed.
const stuckAfter = 2 * time.Minute

func watch() {
	for range time.Tick(5 * time.Second) {
		running.Range(func(seed, since any) bool {
			if time.Since(since.(time.Time)) < stuckAfter {
				return true
			}
			buf := make([]byte, 1<<20)
			fmt.Fprintf(os.Stderr, "seed %d hangs; %s\n%s\n", seed, replay(seed.(uint64)),
				buf[:runtime.Stack(buf, true)])
			os.Exit(2)
			return false
		})
	}
}
