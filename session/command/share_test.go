package command

import (
	"strings"
	"testing"
	"time"
)

func TestShares(t *testing.T) {
	tests := []struct {
		text string
		want float64
		err  string
	}{
		{"0.05", 0.05, ""}, {"5%", 0.05, ""}, {"0", 0, ""}, {"0%", 0, ""}, {"1", 1, ""}, {"100%", 1, ""},
		{"0.1%", 0.001, ""}, {"1e-3", 0.001, ""},
		{"5", 0, `column 12: loss: "5" is more than 1: write 5%`},
		{"1.5", 0, `column 12: loss: "1.5" is more than 1: write 1.5%`},
		{"100", 0, `column 12: loss: "100" is more than 1: write 100%`},
		{"100.5", 0, `column 12: loss: "100.5" is not from 0 to 1`},
		{"101", 0, `column 12: loss: "101" is not from 0 to 1`},
		{"120%", 0, `column 12: loss: "120%" is not from 0% to 100%`},
		{"-1%", 0, `column 12: loss: "-1%" is not from 0% to 100%`},
		{"NaN", 0, `column 12: loss: "NaN" is not a share such as 0.05 or 5%`},
		{"Inf", 0, `column 12: loss: "Inf" is not from 0 to 1`},
		{"%", 0, `column 12: loss: "%" is not a share such as 0.05 or 5%`},
		{"much", 0, `column 12: loss: "much" is not a share such as 0.05 or 5%`},
	}
	for _, tt := range tests {
		c, err := Parse("fault loss=" + tt.text)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if tt.err == "" && got != "" || !strings.HasPrefix(got, tt.err) || tt.err == "" && c.Share("loss") != tt.want {
			t.Errorf("%s: %v, %q, want %v, %q", tt.text, c.Share("loss"), got, tt.want, tt.err)
		}
	}
}

func TestFaultLines(t *testing.T) {
	c, err := Parse("fault off")
	if err != nil || c.Has("device") || !c.Has("off") {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = Parse("fault soft0 delay=2ms jitter=500us seed=0x10")
	if err != nil || c.String("device") != "soft0" || c.Duration("delay") != 2*time.Millisecond ||
		c.Uint("seed") != 16 {
		t.Errorf("%+v, %v", c, err)
	}
	for line, want := range map[string]string{
		"fault soft0 off loss=5%": "off and loss exclude each other",
		"fault soft0 delay=-1ms":  `delay: "-1ms" is negative`,
		"fault soft0 delay=5":     `delay: "5" has no unit`,
	} {
		if _, err := Parse(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}
