package program

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"

	"rdmatui/ui/uitest"
)

var drawPictures = flag.Bool("pictures", false, "draw the pictures of README.md and the manual anew")

// move is a key, or a console line starting with a colon, and what the screen then shows.
type move struct {
	press string
	until []string
	rest  time.Duration // how long a film shows the result
}

func press(key string, until ...string) move { return move{press: key, until: until} }

// lines returns the moves that type commands.
func lines(text string) (moves []move) {
	for line := range strings.SplitSeq(text, "\n") {
		moves = append(moves, move{press: ":" + line})
	}
	return moves
}

// shot is a picture of README.md or the manual: the screen after the moves, or a film of them.
type shot struct {
	name, title string
	moves       []move
	film        bool
	varies      []string // words that another run may show differently
}

// opened opens the device and makes two queue pairs by keys.
var opened = []move{
	press("1", "GIDs"), press("enter", "soft0 is open"),
	press("2", "no queue pair yet", "alloc_pd pd"), press("b", "a: RESET → INIT"),
}

var shots = []shot{
	{name: "devices", title: "rdmatui: Devices", moves: slices.Concat(opened, []move{
		press("c", "a is connected to b"), press("1"), press("U", "this session", "qp b"), press("a"),
	}, slices.Repeat([]move{press("down")}, 23), []move{press("", "max_qp_rd_atom = 128")})},
	{name: "bringup", title: "rdmatui: Bring-up", moves: slices.Concat(opened, []move{
		press("enter", "a: INIT → RTR"), press("o", "b: RESET → INIT"), press("enter", "b: INIT → RTR"),
		press("o", "a: INIT → RTR", "ibv_modify_qp(a"),
	})},
	{name: "post", title: "rdmatui: Post", moves: slices.Concat(opened, []move{
		press("c", "a is connected to b"), press("3", "will it work?"), press("t"), press("t", "RDMA_WRITE"),
		press("P", "enter OK"), press("Hello, b. Written by a."),
		press("enter", `write_mem src "Hello`),
		press("enter", "RDMA_WRITE SUCCESS"),
	})},
	{name: "completions", title: "rdmatui: Completions", moves: slices.Concat(opened, []move{
		press("c", "a is connected to b"),
	}, lines(`write_mem src "hello"
post_recv b sge=dst:0:64
post_send a SEND sge=src:0:5 send_flags=SIGNALED
post_send a RDMA_WRITE sge=src:0:5 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED
post_send a RDMA_READ sge=src:32:5 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED
post_send a RDMA_WRITE sge=src:0:5 remote_addr=dst.addr rkey=0xbad send_flags=SIGNALED`), []move{
		press("4", "REM_ACCESS_ERR"), press("down", "p pause"),
	})},
	{name: "connections", title: "rdmatui: Connections", moves: slices.Concat(opened[:2], []move{
		press("5", "No identifier yet"), press("l"), press("enter"), press("b", "LISTENING"),
		press("c", "connect to:"), press("ADDRESS"), press("enter", "new: conn1, a client"),
		press("P", "private data:"), press(`"hello"`), press("enter", "enter run"),
		press("b", "listener1-1 asks for a connection"),
		press("a", "listener1-1 is in CONNECTED"), press("o", "listener1 is in LISTENING"),
		press("o", "conn1 is in CONNECTED", "together"),
	})},
	{name: "wire", title: "rdmatui: Wire", moves: slices.Concat(opened, lines(`connect_qps a b min_rnr_timer=31
write_mem src "hello"
post_send a RDMA_WRITE sge=src:0:5 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED
post_send a RDMA_READ sge=src:32:5 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED
post_send a SEND sge=src:0:5 send_flags=SIGNALED`), []move{
		press("6", "RNR NAK"), press(":post_recv b sge=dst:0:64", "ACK msn 3", "retry", "4 ok"),
		press("g", "RC_RDMA_WRITE_ONLY"),
	})},
	{name: "measure", title: "rdmatui: Measure", moves: []move{
		press("9", "No runs yet"), press("left"), press("left"), press("left", "ib_send_lat"),
		press("down"), press("down"), press("down"), press("down"), press("down"),
		press("e"), press("5000"), press("enter", "5000"), press("enter", "ended", "t_typical"),
		press("shift+tab"), press("end", "all samples", "p99.9"),
	}, varies: []string{"client", "server", "threads"}},
	{name: "first-write", title: "First WRITE in 60 seconds", film: true, moves: []move{
		press("0", "guided tours", "▸ First WRITE in 60 seconds", "enter start the tour"),
		press("enter", "step 1 of 3", "press  b  open the device"),
		press("b", "step 2 of 3", "press  c  connect both queue pairs"),
		press("c", "step 3 of 3", "press  3  go to Post"),
		press("3", "press  t  choose the opcode RDMA_WRITE"),
		{press: "t", until: []string{"SEND_WITH_IMM"}, rest: 1500 * time.Millisecond},
		press("t", "press  enter  post the request"),
		{press: "enter", until: []string{"tour: First WRITE in 60 seconds · done", "Next: ",
			"wr_id 1 RDMA_WRITE SUCCESS"}, rest: 7 * time.Second},
	}},
}

// addresses returns the addresses of soft0 and soft1. No program chooses them by
// itself. Those in the pictures never change; those of tests that run side by side
// differ.
func addresses() (near, far string) {
	n := 71
	if !*drawPictures {
		n = 100 + 2*(os.Getpid()%77)
	}
	return fmt.Sprint("127.0.0.", n), fmt.Sprint("127.0.0.", n+1)
}

// TestPictures drives the program to the states shown in the pictures. Each word in a picture must be on
// the screen today. With -pictures it draws them: make pictures.
func TestPictures(t *testing.T) {
	near, far := addresses()
	for _, s := range shots {
		t.Run(s.name, func(t *testing.T) {
			path := filepath.Join(root, "assets", s.name+".svg")
			tm := open(t, 120, 36, terminalEnv("COLORTERM=truecolor"), "--provider", "soft", "--soft", near+","+far)
			tm.Until("soft0", "GID ")
			frames, seen := s.play(tm, near)
			if *drawPictures {
				if err := os.WriteFile(path, []byte(uitest.DrawSVG(s.title, frames)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			svg, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("%v: run make pictures", err)
			}
			if len(svg) > s.limit() {
				t.Errorf("%s has %d bytes, more than %d", path, len(svg), s.limit())
			}
			// a longer number may cut more of a word
			cut := regexp.MustCompile(`(\pL{3,})…`).FindAllStringSubmatch(seen, -1)
			for _, word := range uitest.SVGWords(string(svg)) {
				if strings.Contains(seen, word) || slices.Contains(s.varies, word) {
					continue
				}
				if !slices.ContainsFunc(cut, func(m []string) bool { return strings.HasPrefix(word, m[1]) }) {
					t.Errorf("%s shows %q, the program does not: run make pictures\n%s", path, word, seen)
				}
			}
		})
	}
}

func (s *shot) limit() int {
	if s.film {
		return 400_000
	}
	return 60_000
}

// play makes the moves and returns the frames to draw, with all their text.
func (s *shot) play(tm *uitest.Terminal, address string) (frames []uitest.Frame, seen string) {
	for i, m := range s.moves {
		switch {
		case strings.HasPrefix(m.press, ":"):
			tm.Type(m.press + "\r\r")
		case m.press != "":
			tm.Keys(strings.Replace(m.press, "ADDRESS", address, 1))
		}
		tm.Until(m.until...)
		if !s.film && i+1 < len(s.moves) {
			continue
		}
		tm.Rest()
		seen += tm.Screen()
		if n := len(frames); n > 0 {
			frames = append(frames, uitest.Frame{Cells: frames[n-1].Cells, Key: m.press, For: time.Second})
		}
		frames = append(frames, uitest.Frame{Cells: withoutFindings(tm.Cells()), For: cmp.Or(m.rest, 3*time.Second)})
	}
	return frames, seen
}

// withoutFindings clears the doctor's line on Home and Devices, since it depends on the host that draws the picture.
func withoutFindings(rows [][]uv.Cell) [][]uv.Cell {
	for _, row := range rows {
		var text strings.Builder
		for _, c := range row {
			text.WriteString(c.Content)
		}
		if !strings.Contains(text.String(), " doctor: ") {
			continue
		}
		for x := 1; x < len(row) && row[x].Content != "│"; x++ {
			row[x] = uv.EmptyCell
		}
	}
	return rows
}

// TestPicturesShown compares the pictures that README.md and the manual show with those that are drawn.
func TestPicturesShown(t *testing.T) {
	pages, _ := filepath.Glob(filepath.Join(root, "assets", "manual", "*.md"))
	var drawn, named []string
	for _, s := range shots {
		drawn = append(drawn, "assets/"+s.name+".svg")
	}
	for _, path := range append(pages, filepath.Join(root, "README.md")) {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`!\[([^]]*)\]\(([^)]*)\)`).FindAllStringSubmatch(string(page), -1) {
			file, err := filepath.Rel(root, filepath.Join(filepath.Dir(path), m[2]))
			if named = append(named, file); err != nil || len(m[1]) < 20 {
				t.Errorf("%s has the text %q for those who do not see it (%v)", m[2], m[1], err)
			}
		}
	}
	files, _ := filepath.Glob(filepath.Join(root, "assets", "*.svg"))
	for i := range files {
		files[i] = "assets/" + filepath.Base(files[i])
	}
	for _, names := range [][]string{drawn, named, files} {
		slices.Sort(names)
	}
	if !slices.Equal(named, drawn) || !slices.Equal(files, drawn) {
		t.Errorf("the pages show %q, assets has %q, and drawn are %q", named, files, drawn)
	}
}
