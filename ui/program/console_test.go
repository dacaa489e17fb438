package program

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// console is an rdmatui that runs lines one after the other, as they are given to it.
type console struct {
	*program
	in     io.WriteCloser
	events chan event
	ended  chan struct{}
	cm     []event // connection manager events received while waiting for lines
}

// event is the part of a JSON time line event that the tests read.
type event struct {
	Event, Line, Result, Text, Error, Hint string
	CMEvent                                string `json:"cm_event"`
	ID                                     string
}

// console starts a console on a side.
func (s side) console(t testing.TB) *console {
	t.Helper()
	return s.prepare(t, "run", "--json", "-").console()
}

// console starts a prepared program as a console.
func (p *program) console() *console {
	t := p.t
	t.Helper()
	c := &console{program: p, events: make(chan event, 4096), ended: make(chan struct{})}
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout = nil
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.in = in
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(c.ended)
		defer close(c.events)
		for d := json.NewDecoder(out); ; {
			var e event
			if d.Decode(&e) != nil {
				return
			}
			c.events <- e
		}
	}()
	return c
}

// begin gives the console lines without waiting for them.
func (c *console) begin(lines ...string) {
	c.t.Helper()
	var b bytes.Buffer
	for _, l := range lines {
		b.WriteString(l + "\n")
	}
	if _, err := c.in.Write(b.Bytes()); err != nil {
		c.fail("it takes no more lines: " + err.Error())
	}
}

// do runs lines and waits until all are done. It returns the result of the last.
func (c *console) do(lines ...string) string {
	c.t.Helper()
	c.begin(lines...)
	var result string
	for _, l := range lines {
		result = c.await(l).Result
	}
	return result
}

// await waits for the event of a line begun before, or for a note that begins with
// the text.
func (c *console) await(text string) event {
	c.t.Helper()
	for end := time.After(patience); ; {
		select {
		case e, ok := <-c.events:
			switch {
			case !ok:
				c.fail("it ended before " + text)
			case e.Error != "":
				c.fail(fmt.Sprintf("%s: %s; %s", e.Line, e.Error, e.Hint))
			case e.Event == "command" && e.Line == text || e.Event == "note" && strings.HasPrefix(e.Text, text):
				return e
			case e.Event == "cm":
				c.cm = append(c.cm, e)
			}
		case <-end:
			c.fail("nothing came of " + text)
		}
	}
}

func (c *console) fail(why string) {
	c.t.Helper()
	c.cmd.Process.Kill()
	for range c.events { // so that the reader does not block
	}
	c.cmd.Wait()
	c.t.Fatalf("%s: %s\n%s", c.name, why, c.out.String())
}

// leave ends the script and checks that everything is destroyed.
func (c *console) leave() {
	c.t.Helper()
	c.in.Close()
	for e := range c.events {
		if e.Error != "" {
			c.t.Errorf("%s: %s", e.Line, e.Error)
		}
	}
	<-c.ended
	c.done()
}
