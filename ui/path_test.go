package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/completions"
	"rdmatui/ui/screen/post"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

// maxCalls is how many calls of ours a key may take to the provider, and a completion from the provider to its row.
const maxCalls = 12

// TestPath counts the calls from a key on the Post screen to the provider, and from the provider to the completion's
// row. Both paths have parts in several goroutines. Outside the screens it observes the calls, inside it reads the
// sources. The package comment lists the calls.
func TestPath(t *testing.T) {
	seen := &observer{}
	sess := uitest.NewSession(t, session.Options{
		Providers: []verbs.Provider{observedProvider{uitest.Soft(nil), seen}}, Live: true,
	},
		append(slices.Clone(uitest.BenchLines), "connect_qps a b")...)
	defer sess.Timeline().Attach(func(e *timeline.Event) {
		if e.Kind == timeline.KindWC {
			seen.note("event")
		}
	})()
	env := sess.Env(theme.New("none", true))
	app := NewApp(env, map[screen.ID]screen.Screen{
		screen.Devices: newFakeScreen("devices"), screen.Post: observedScreen{post.New(env), seen},
		screen.Completions: observedScreen{completions.New(env), seen},
	})
	d := uitest.New(t, app, 160, 40)
	d.Keys("3", "t", "t", "t", "t")
	if !d.Contains("post_send a RDMA_READ") { // for a SEND, a line that writes its payload comes first
		t.Fatal(d.View())
	}
	d.Keys("enter", "4")
	sess.Do("post_recv b wr_id=1 sge=dst", "post_send a SEND wr_id=2 sge=src send_flags=SIGNALED")
	d.WaitFor("wr 2")

	pkg := packageComment(t)
	for _, p := range []struct {
		name  string
		parts [][]string
	}{
		{"key", [][]string{
			append(seen.calls("key"),
				follow(t, "post.Screen.Update", "post.Screen.post", "steps.Runner.Run", "screen.Env.Run")...),
			seen.calls("PostSend"),
		}},
		{"completion", [][]string{
			seen.calls("event"),
			append(seen.calls("frame"), follow(t, "completions.Screen.Refresh", "completions.feed.take",
				"completions.feed.takeAll", "completions.feed.addCompletions", "completions.history.add")...),
		}},
	} {
		n := 0
		for _, calls := range p.parts {
			n += len(calls)
			if line := strings.Join(calls, " · "); !strings.Contains(pkg, line) {
				t.Errorf("the package comment does not list the calls of a %s:\n%s", p.name, line)
			}
		}
		if n > maxCalls {
			t.Errorf("a %s takes %d calls, more than %d: %q", p.name, n, maxCalls, p.parts)
		}
	}
}

// observer keeps the calls that led to some places, the first time each.
type observer struct {
	mu   sync.Mutex
	made map[string][]string
}

// note keeps the calls of this module that led here, without those of tests. Those of an event begin after the
// provider's poll.
func (o *observer) note(place string) {
	var pcs [64]uintptr
	var calls []string
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if !strings.HasPrefix(f.Function, "rdmatui/") || strings.HasSuffix(f.File, "_test.go") ||
			strings.Contains(f.Function, "/uitest.") {
			continue
		}
		if place == "event" && strings.HasSuffix(f.Function, "queue.Harvest") {
			break
		}
		name := strings.NewReplacer("(*", "", ")", "").Replace(path.Base(f.Function))
		if closure := strings.Split(name, "."); strings.HasPrefix(closure[len(closure)-1], "func") {
			name = closure[len(closure)-2] + ".func" // before it stands what the compiler inlined it into
		}
		calls = append(calls, name)
	}
	slices.Reverse(calls)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.made == nil {
		o.made = map[string][]string{}
	}
	if o.made[place] == nil {
		o.made[place] = calls
	}
}

func (o *observer) calls(place string) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.made[place])
}

// observedScreen notes when root passes a key or a frame on.
type observedScreen struct {
	screen.Screen
	seen *observer
}

func (s observedScreen) Update(msg tea.Msg) tea.Cmd {
	if _, isKey := msg.(tea.KeyPressMsg); isKey {
		s.seen.note("key")
	}
	return s.Screen.Update(msg)
}

func (s observedScreen) Refresh(st *screen.State) (bool, tea.Cmd) {
	if st.Counts.WCOK > 1 {
		s.seen.note("frame")
	}
	return s.Screen.Refresh(st)
}

// observedProvider notes the posts of its queue pairs.
type observedProvider struct {
	verbs.Provider
	seen *observer
}

type observedDevice struct {
	verbs.Device
	seen *observer
}

type observedPD struct {
	verbs.PD
	seen *observer
}

type observedQP struct {
	verbs.QP
	seen *observer
}

func (p observedProvider) Open(name string) (verbs.Device, error) {
	d, err := p.Provider.Open(name)
	return observedDevice{d, p.seen}, err
}

func (d observedDevice) AllocPD() (verbs.PD, error) {
	pd, err := d.Device.AllocPD()
	return observedPD{pd, d.seen}, err
}

func (p observedPD) CreateQP(spec verbs.QPSpec) (verbs.QP, error) {
	q, err := p.PD.CreateQP(spec)
	return observedQP{q, p.seen}, err
}

func (q observedQP) PostSend(wrs ...verbs.SendWR) (int, error) {
	q.seen.note("PostSend")
	return q.QP.PostSend(wrs...)
}

// follow returns the names, each of a function as package.Type.method, after it has checked that each calls the next:
// it, or a table of its package, names it.
func follow(t *testing.T, names ...string) []string {
	t.Helper()
	for i, name := range names[:len(names)-1] {
		next := names[i+1]
		pkg, _, _ := strings.Cut(name, ".")
		if !mentions(t, pkg, name, next[strings.LastIndexByte(next, '.')+1:]) {
			t.Errorf("%s does not call %s", name, next)
		}
	}
	return names
}

// mentions reports whether a function of a screen's package, or a variable of the package, names another function.
func mentions(t *testing.T, pkg, name, other string) (found bool) {
	t.Helper()
	files, err := filepath.Glob("screen/" + pkg + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil || d.Name.Name != name[strings.LastIndexByte(name, '.')+1:] {
					continue
				}
			case *ast.GenDecl:
				if d.Tok != token.VAR {
					continue
				}
			}
			ast.Inspect(d, func(n ast.Node) bool {
				id, isName := n.(*ast.Ident)
				found = found || isName && id.Name == other
				return !found
			})
		}
	}
	return found
}

func packageComment(t *testing.T) string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "app.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(f.Doc.Text()), " ")
}
