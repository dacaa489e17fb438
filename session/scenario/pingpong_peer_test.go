package scenario_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/scenario"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// pingNumbers encodes count and size as in private data.
func pingNumbers(form string, count, size uint64) string {
	if form == "be32" {
		return string(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(count)), uint32(size)))
	}
	return string(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, count), size))
}

// pingServer starts a server of ping.
func pingServer(t *testing.T, p verbs.Provider, mode string) (s *session.Session, ended chan error) {
	t.Helper()
	s = session.New(core.Options{Providers: []verbs.Provider{p}})
	params := scenario.DefaultParams("ping")
	params.Server, params.CM, params.Events = true, mode, true // polling does not let virtual time pass
	ended = make(chan error, 1)
	go func() {
		_, err := sessiontest.RunScenario(t.Context(), s, params, nil)
		ended <- err
	}()
	synctest.Wait()
	return s, ended
}

// TestPingPeerTellsNumbers plays a partner that sends count and size in either
// layout, message by message.
func TestPingPeerTellsNumbers(t *testing.T) {
	for _, form := range []string{"be64", "be32"} {
		for _, mode := range []string{"event", "poll", "sync"} {
			t.Run(form+", "+mode, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := soft.New(soft.Options{})
					s, ended := pingServer(t, p, mode)
					c := connected(t, p, pingNumbers(form, 3, 100), 3)
					for range 3 {
						c.send(100)
					}
					if got := c.received(); got != 3 {
						t.Errorf("%d messages returned", got)
					}
					c.ok(c.id.Disconnect())
					if err := <-ended; err != nil {
						t.Error(err)
					}
					c.close()
					c.ok(s.Close())
				})
			})
		}
	}
}

// received counts the received messages of 100 bytes.
func (c *verbsClient) received() (n int) {
	c.t.Helper()
	wcs := make([]verbs.WC, 64)
	got, err := c.cq.Poll(wcs)
	c.ok(err)
	for _, wc := range wcs[:got] {
		if wc.Failed() {
			c.t.Errorf("%s", wc.Status)
		} else if wc.Opcode.IsRecv() && wc.ByteLen == 100 {
			n++
		}
	}
	return n
}

// TestPingClientTellsNumbers: our client's private data is what the course's server
// reads, or what was requested.
func TestPingClientTellsNumbers(t *testing.T) {
	for _, form := range []string{"be64", "be32"} {
		synctest.Test(t, func(t *testing.T) {
			p := soft.New(soft.Options{})
			s, ended := pingServer(t, p, "event")
			client := session.New(core.Options{Providers: []verbs.Provider{p}})
			params := scenario.DefaultParams("ping")
			params.Address, params.Count, params.Size, params.Numbers, params.Events = hostileServer.String(), 7,
				300, form, true
			if _, err := sessiontest.RunScenario(t.Context(), client, params, nil); err != nil {
				t.Error(err)
			}
			if err := <-ended; err != nil {
				t.Error(err)
			}
			got := ""
			for _, id := range s.Snapshot().IDs {
				got += string(id.PrivateData)
			}
			if want := pingNumbers(form, 7, 300); !strings.HasPrefix(got, want) ||
				strings.Trim(got[len(want):], "\x00") != "" {
				t.Errorf("%s: %x", form, got)
			}
			if err := errors.Join(client.Close(), s.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPingPeerLeaves: a peer that disconnects during a ping-pong ends it at once, and
// the error names the disconnect instead of the requests that failed because of it.
func TestPingPeerLeaves(t *testing.T) {
	for _, mode := range []string{"event", "poll", "sync"} {
		for name, leave := range map[string]func(*verbsClient){
			"says so":              func(c *verbsClient) { c.ok(c.id.Disconnect()) },
			"destroys its objects": func(c *verbsClient) { c.close() },
			"with a message sent":  func(c *verbsClient) { c.post(100); c.ok(c.id.Disconnect()) },
		} {
			t.Run(mode+", "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := soft.New(soft.Options{})
					s, ended := pingServer(t, p, mode)
					c := connected(t, p, pingNumbers("be64", 1000, 100), 8)
					c.send(100)
					began := time.Now()
					leave(c)
					err := <-ended
					if err == nil || !strings.Contains(err.Error(), "1000 messages were sent") ||
						!strings.Contains(err.Error(), "the peer has disconnected") {
						t.Error(err)
					}
					if took := time.Since(began); took > time.Second {
						t.Errorf("it took %s of virtual time", took)
					}
					c.ok(s.Close())
					if name != "destroys its objects" {
						c.close()
					}
				})
			})
		}
	}
}

// TestPingWaitsForLastACK: a client that disconnects when it has the last message leaves the server's SEND to its
// device; the server waits for the ACK even if it takes longer than the event of the disconnect.
func TestPingWaitsForLastACK(t *testing.T) {
	for _, mode := range []string{"event", "poll", "sync"} {
		synctest.Test(t, func(t *testing.T) {
			p := soft.New(soft.Options{})
			s, ended := pingServer(t, p, mode)
			c := connected(t, p, pingNumbers("be64", 1, 100), 1)
			slow := func(d time.Duration) {
				for _, device := range []string{"soft0", "soft1"} {
					c.ok(p.SetFaults(device, verbs.Faults{Delay: d}))
				}
			}
			slow(100 * time.Millisecond)
			c.post(100) // arrives after 100 ms, the answer after 200
			time.Sleep(150 * time.Millisecond)
			slow(250 * time.Millisecond) // the ACK arrives after 450
			time.Sleep(100 * time.Millisecond)
			slow(0)
			c.ok(c.id.Disconnect())
			if err := <-ended; err != nil {
				t.Errorf("%s: %v", mode, err)
			}
			c.close()
			c.ok(s.Close())
		})
	}
}
