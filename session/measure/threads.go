package measure

import (
	"cmp"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Thread is the share of a CPU that a thread of this program has used lately.
type Thread struct {
	TID    int     `json:"tid"`
	Name   string  `json:"name"`           // as the kernel has it
	Role   string  `json:"role,omitempty"` // whose loop was seen on it: "client", "server", BothEnds; "" for others
	User   float64 `json:"user"`           // shares of one CPU
	System float64 `json:"system"`
	CPU    int     `json:"cpu"` // that it last ran on
}

// BothEnds is the role of a thread on which both loops were seen.
const BothEnds = "both ends"

// busy is the least share of a CPU that counts.
const busy = 0.01

// threadEvery is how often threads are read, in intervals.
const threadEvery = 10

// ticksPerSecond is the unit of times in /proc, USER_HZ.
const ticksPerSecond = 100

// threadTime is what /proc/self/task/TID/stat says of a thread.
type threadTime struct {
	name      string
	user, sys uint64 // ticks
	cpu       int
}

// threadReader compares the times of the program's threads.
type threadReader struct {
	task fs.FS // /proc/self/task
	last map[int]threadTime
	at   time.Time
	on   map[int]map[string]bool // whose loops were seen on a thread since then
	asks int
}

func newThreadReader() *threadReader {
	r := &threadReader{task: os.DirFS("/proc/self/task"), at: time.Now()}
	r.last, r.on = r.times(), map[int]map[string]bool{}
	return r
}

// times reads all threads. Outside Linux there are none.
func (r *threadReader) times() map[int]threadTime {
	all := map[int]threadTime{}
	list, _ := fs.ReadDir(r.task, ".")
	for _, d := range list {
		tid, err := strconv.Atoi(d.Name())
		text, err2 := fs.ReadFile(r.task, d.Name()+"/stat")
		if t, ok := parseStat(string(text)); ok && err == nil && err2 == nil {
			all[tid] = t
		}
	}
	return all
}

// parseStat parses a line of proc_pid_stat(5). The name in parentheses may have any characters.
func parseStat(text string) (t threadTime, ok bool) {
	from, to := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if from < 0 || to < from {
		return t, false
	}
	const user, sys, processor = 14 - 3, 15 - 3, 39 - 3 // the first one behind the name is number 3
	f := strings.Fields(text[to+1:])
	if len(f) <= processor {
		return t, false
	}
	var errs [3]error
	t.name = text[from+1 : to]
	t.user, errs[0] = strconv.ParseUint(f[user], 10, 64)
	t.sys, errs[1] = strconv.ParseUint(f[sys], 10, 64)
	t.cpu, errs[2] = strconv.Atoi(f[processor])
	return t, errs == [3]error{}
}

// ask notes on which thread a loop runs.
func (r *threadReader) ask(role string, run running) {
	tid := run.Thread()
	if tid == 0 {
		return
	}
	if r.on[tid] == nil {
		r.on[tid] = map[string]bool{}
	}
	r.on[tid][role] = true
}

// read returns the busy threads since the last call, the busiest first.
func (r *threadReader) read(now time.Time) (list []Thread) {
	times, ticks := r.times(), now.Sub(r.at).Seconds()*ticksPerSecond
	for tid, t := range times {
		was := r.last[tid]
		share := func(is, was uint64) float64 { return float64(is-min(was, is)) / ticks }
		th := Thread{TID: tid, Name: t.name, User: share(t.user, was.user), System: share(t.sys, was.sys), CPU: t.cpu}
		for role := range r.on[tid] {
			if th.Role = role; len(r.on[tid]) > 1 {
				th.Role = BothEnds // the Go runtime moves loops between threads
			}
		}
		if th.User+th.System >= busy {
			list = append(list, th)
		}
	}
	slices.SortFunc(list, func(a, b Thread) int {
		return cmp.Or(cmp.Compare(b.User+b.System, a.User+a.System), cmp.Compare(a.TID, b.TID))
	})
	r.last, r.at, r.asks = times, now, 0
	clear(r.on)
	return list
}

// look asks the loops of a segment for their threads, and reads all threads from time to time.
func (r *threadReader) look(g *segment, end bool) (list []Thread) {
	r.asks++
	r.ask(g.role(), g.run)
	if server := g.server.Load(); server != nil {
		r.ask("server", server)
	}
	now := time.Now()
	if r.asks%threadEvery == 0 || end && now.Sub(r.at) >= interval {
		return r.read(now)
	}
	return nil
}

// role names the end that is shown.
func (g *segment) role() string {
	if g.p.Client() {
		return "client"
	}
	return "server"
}
