package command

import "testing"

// TestSizes: a number of bytes may have a unit, other numbers may not.
func TestSizes(t *testing.T) {
	for _, tt := range []struct {
		line, arg, want string // want: "" if it is refused
	}{
		{"reg_mr m length=2M", "length", "2097152"}, {"reg_mr m length=64k", "length", "65536"},
		{"reg_mr m length=0x10K", "length", "16384"}, {"reg_mr m length=1G", "length", "1073741824"},
		{"reg_mr m length=4096", "length", "4096"}, {"create_qp q max_inline_data=1K", "max_inline_data", "1024"},
		{"reg_mr m length=M", "", ""}, {"reg_mr m length=2MB", "", ""}, {"reg_mr m length=-2M", "", ""},
		{"reg_mr m length=17179869184G", "", ""}, {"create_qp q max_inline_data=4G", "", ""},
		{"create_cq c cqe=1K", "", ""}, {"reg_mr m length=1.5M", "", ""},
	} {
		cmd, err := Parse(tt.line)
		if (err != nil) != (tt.want == "") || err == nil && cmd.String(tt.arg) != tt.want {
			t.Errorf("%s: %q, %v", tt.line, cmd.String(tt.arg), err)
		}
	}
}
