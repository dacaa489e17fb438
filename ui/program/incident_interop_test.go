package program

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rdmatui/session/capture"
	vmtest "rdmatui/verbs/verbstest/vm"
	"rdmatui/verbs/wire"
)

// TestIncidentFileOfKernel provokes a failure on rxe0 and reads its files back: packets that passed the network
// interface are linked to the requests on the kernel's queue pair by the numbers that the session set.
func TestIncidentFileOfKernel(t *testing.T) {
	vmtest.Need(t)
	w := connect(t, softSide(t, peerAddress), kernelSide(t), "", 1024)
	peer, kernel := w.ends[0], w.ends[1]
	name := filepath.Join(t.TempDir(), "x")
	poll := "poll_cq cq n=1 timeout=" + wcPatience
	kernel.do("recorder on",
		fmt.Sprintf("post_send qp RDMA_WRITE wr_id=1 sge=src:0:3000 remote_addr=%d rkey=%s", peer.addr, peer.rkey),
		poll,
		fmt.Sprintf("post_send qp RDMA_READ wr_id=2 sge=src:0:2500 remote_addr=%d rkey=%s", peer.addr, peer.rkey), poll,
		fmt.Sprintf("post_send qp RDMA_WRITE wr_id=3 sge=src:0:64 remote_addr=%d rkey=0x1234", peer.addr), poll,
		"sleep 500ms", // the last packets are read from the interface
		fmt.Sprintf("save_incident %q", name))
	w.leave()
	document, err := os.ReadFile(name + ".md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`# wr\\_id 3 of qp failed with REM\\_ACCESS\\_ERR`,
		`\| 1 \| qp \| RDMA\\_WRITE \| 3,000 \| \d[^|]* \| known \| SUCCESS at `,
		`\| 2 \| qp \| RDMA\\_READ \| 2,500 \| \d[^|]* \| known \| SUCCESS at `,
		`\| 3 \| qp \| RDMA\\_WRITE \| 64 \| \d[^|]* \| known \| REM\\_ACCESS\\_ERR at `,
		`packets of rxe0: recorded on network interface d0`,
	} {
		if !regexp.MustCompile(want).Match(document) {
			t.Errorf("the document lacks %s", want)
		}
	}
	of := commentedOf(t, name+".pcapng")
	for id, least := range map[int]int{1: 4, 2: 4, 3: 2} { // packets and answers
		if of[id] < least {
			t.Errorf("%d packets of wr_id %d, want at least %d\n%s", of[id], id, least, document)
		}
	}
	nothingLeft(t)
}

// commentedOf counts the packets of a file by the request that a comment names. Each RC packet must have one.
func commentedOf(t *testing.T, path string) map[int]int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := capture.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	of := map[int]int{}
	for {
		var p capture.Frame
		if r.Next(&p) != nil {
			return of
		}
		id := 0
		for _, c := range p.Comments {
			if strings.HasPrefix(c, "wr_id ") {
				fmt.Sscanf(c, "wr_id %d ", &id)
			}
		}
		if info, _ := p.Wire.BTH.Opcode.Info(); id == 0 && info.Transport == wire.RC {
			t.Errorf("%s belongs to no request: %q", p.Wire.String(), p.Comments)
		}
		of[id]++
	}
}
