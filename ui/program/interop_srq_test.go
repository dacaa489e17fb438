package program

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// srqGames are runs of srq-pingpong, with the options that both programs take. Fewer
// iterations than queue pairs, or a single RECV, end soonest. Many queue pairs use
// events: two polling programs leave a slow machine no time to answer each before it
// is asked again.
var srqGames = [][]string{
	{"-n", "80", "-e"},
	{"-n", "40", "-q", "3", "-s", "1024"},
	{"-n", "5", "-q", "16", "-s", "1", "-e"},
	{"-n", "10", "-q", "1", "-r", "1", "-s", "65536", "-e"},
}

// hundred is a run with many queue pairs, which are slow to connect on an emulated machine.
var hundred = [][]string{{"-n", "110", "-q", "100", "-s", "64", "-e"}}

// playSRQ plays srq-pingpong against ibv_srq_pingpong on rxe0, in both roles.
func playSRQ(t *testing.T, us side, games [][]string) {
	for _, options := range games {
		for _, weServe := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, server %v", strings.Join(options, " "), weServe), func(t *testing.T) {
				port := freePort()
				common := append([]string{"-c", "-p", port}, options...)
				stock := side{[]string{vmtest.Program(t, "ibv_srq_pingpong"), "-g", "1", "-d", device}, device, address}
				our := us
				our.command = slices.Concat(us.command, []string{"-d", us.device, "scenario", "srq-pingpong"})
				server, client, to := stock, our, stock.address
				serves := common
				if weServe {
					server, client, to = our, stock, our.address
					serves = append([]string{"--server"}, common...)
				}
				waiting := server.start(t, serves...)
				waiting.listening(port)
				calling := client.start(t, append(slices.Clone(common), to)...)
				bothDone(t, calling, waiting)
				for _, p := range []*program{calling, waiting} {
					if out := p.out.String(); !strings.Contains(out, options[1]+" iters in ") ||
						strings.Contains(out, "invalid data") {
						t.Errorf("%s:\n%s", p.name, lastLines(out))
					}
				}
			})
		}
	}
	nothingLeft(t)
}

// TestSRQPingpongWithStock has both programs on the kernel's device.
func TestSRQPingpongWithStock(t *testing.T) {
	vmtest.Need(t)
	playSRQ(t, kernelSide(t), srqGames)
}

// TestHundredSRQPingpongWithStock does the same with a hundred queue pairs.
func TestHundredSRQPingpongWithStock(t *testing.T) {
	vmtest.Need(t)
	playSRQ(t, kernelSide(t), hundred)
}

// TestSoftSRQPingpongWithStock has rdmatui on the software device.
func TestSoftSRQPingpongWithStock(t *testing.T) {
	vmtest.Need(t)
	playSRQ(t, softSide(t, peerAddress), slices.Concat(srqGames, hundred))
}
