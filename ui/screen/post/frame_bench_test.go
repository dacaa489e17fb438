package post

import (
	"testing"

	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// BenchmarkFrame draws the screen, and asks for its keys, as often as a frame does.
func BenchmarkFrame(b *testing.B) {
	for _, typed := range []string{"dst.addr", "src.addr+4090"} {
		b.Run("remote_addr="+typed, func(b *testing.B) {
			env := uitest.NewSession(b, session.Options{}, benchWith()...).Env(theme.New("dark", true))
			s := New(env)
			d := uitest.NewScreen(b, env, s)
			d.Frame()
			s.turnTo("opcode", "RDMA_WRITE")
			s.turnTo("remote_addr", typed)
			buf := line.New(env.Theme)
			b.ReportAllocs()
			for b.Loop() {
				buf.Reset()
				widget.Draw(buf, s, 160, 48)
				s.Context()
			}
		})
	}
}
