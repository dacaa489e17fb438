package post

import (
	"testing"

	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// What will not work is an error in the checklist; what will is not.
func TestTokens(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		texts []string
	}{
		{"will-work", nil, []string{"✓"}},
		{"no-right", benchWith("reg_mr dst pd=pd length=4096 access=LOCAL_WRITE"), []string{"✓", "✗"}},
	} {
		d, _, s, now := start(t, uitest.Tokens(), tt.lines...)
		d.Keys("t", "t") // RDMA_WRITE
		settled(d, now, 160, 50)
		uitest.Golden(t, tt.name, uitest.Marked(t, widget.Render(s.th, s, 160, 50), tt.texts...))
	}
}
