package ui

import (
	"context"
	"strings"
	"testing"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/bringup"
	devscreen "rdmatui/ui/screen/devices"
	"rdmatui/ui/screen/post"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// held is a session whose post_send waits until the test lets it go.
type held struct {
	*session.Session
	gate chan struct{}
}

func (h *held) Exec(ctx context.Context, line string) (timeline.CommandDone, error) {
	if strings.HasPrefix(line, "post_send") {
		<-h.gate
	}
	return h.Session.Exec(ctx, line)
}

// A request is posted on Post, and its call takes long. Meanwhile Bring-up is in
// front, which shows results too: that of Post is not there, but on Post.
func TestResultOfPostStaysOnPost(t *testing.T) {
	provider := soft.New(soft.Options{})
	sess := session.New(session.Options{Providers: []verbs.Provider{provider}, Live: true})
	t.Cleanup(func() {
		if err := sess.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, l := range []string{
		"open_device soft0", "alloc_pd pd", "reg_mr src length=4096 access=LOCAL_WRITE", "create_cq cq cqe=64",
		"create_qp a send_cq=cq recv_cq=cq qp_type=RC", "create_qp b send_cq=cq recv_cq=cq qp_type=RC", "connect_qps a b", "post_recv b sge=src:64:64",
	} {
		if _, err := sess.Exec(t.Context(), l); err != nil {
			t.Fatalf("%s: %v", l, err)
		}
	}
	inv := devices.New([]verbs.Provider{provider}, devices.Host())
	t.Cleanup(func() {
		if err := inv.Close(); err != nil {
			t.Error(err)
		}
	})
	slow := &held{sess, make(chan struct{})}
	env := &screen.Env{Ctx: t.Context(), Theme: theme.New("none", true), Session: slow, Inventory: inv}
	app := NewApp(env, map[screen.ID]screen.Screen{
		screen.Devices: devscreen.New(env), screen.BringUp: bringup.New(env), screen.Post: post.New(env),
	})
	d := uitest.New(t, app, 120, 40)
	d.Keys("2", "u")
	d.WaitFor("ibv_query_qp(")
	d.Keys("3", "enter")
	d.Keys("2")
	slow.gate <- struct{}{}
	d.WaitFor("2 ok") // the SEND and the RECV, on the strip
	if v := d.View(); strings.Contains(v, "ibv_post_send(") || !strings.Contains(v, "ibv_query_qp(") {
		t.Errorf("Bring-up shows what was posted elsewhere:\n%s", v)
	}
	d.Keys("3")
	d.WaitFor("ibv_post_send(a")
}
