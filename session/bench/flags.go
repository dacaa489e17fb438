package bench

import (
	"strconv"
	"strings"

	"rdmatui/verbs"
)

// Flags returns the command-line flags that set these parameters, except for the device
// and the host, in the letters of perftest. Values that are the default have none.
func (p *Params) Flags() string {
	usual := DefaultParams(p.Test)
	var out []string
	number := func(flag string, value, usual int64) {
		if value != usual {
			out = append(out, flag+" "+strconv.FormatInt(value, 10))
		}
	}
	on := func(flag string, set bool) {
		if set {
			out = append(out, flag)
		}
	}
	number("-p", int64(p.Port), int64(usual.Port))
	if p.Connection != verbs.RC {
		out = append(out, "-c "+p.Connection.String())
	}
	if p.MTU != 0 {
		out = append(out, "-m "+p.MTU.String())
	}
	if on("-a", p.All); !p.All {
		number("-s", int64(p.Size), int64(usual.Size))
	}
	if p.Duration > 0 {
		number("-D", int64(p.Duration.Seconds()), 0)
	} else {
		number("-n", int64(p.Iters), int64(usual.Iters))
	}
	number("-q", int64(p.QPs), int64(usual.QPs))
	number("-t", int64(p.TXDepth), int64(usual.TXDepth))
	number("-r", int64(p.RXDepth), int64(usual.RXDepth))
	number("-l", int64(p.PostList), int64(usual.PostList))
	number("-Q", int64(p.CQMod), int64(usual.CQMod))
	number("-I", int64(p.Inline), int64(usual.Inline))
	on("-b", p.Bidirectional)
	on("-e", p.Events)
	on("-R", p.CM)
	on("--report_gbits", p.Gbits)
	return strings.Join(out, " ")
}
