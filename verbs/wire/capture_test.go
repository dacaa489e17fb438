package wire

import (
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"os"
	"strings"
	"testing"
)

// captured is one packet of testdata/rxe.txt, parsed up to the UDP payload.
type captured struct {
	path    Path
	id      uint16
	payload []byte
}

// captures reads the packets that the kernel's Soft-RoCE sent.
func captures(t testing.TB) []captured {
	t.Helper()
	text, err := os.ReadFile("testdata/rxe.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []captured
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		ip, err := hex.DecodeString(line)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, dissect(t, ip))
	}
	if len(all) == 0 {
		t.Fatal("no packets in testdata/rxe.txt")
	}
	return all
}

// dissect reads the IP and UDP headers of a packet without options or extension headers.
func dissect(t testing.TB, ip []byte) captured {
	t.Helper()
	var c captured
	var src, dst netip.Addr
	var udp []byte
	switch ip[0] >> 4 {
	case 4:
		src, _ = netip.AddrFromSlice(ip[12:16])
		dst, _ = netip.AddrFromSlice(ip[16:20])
		c.id, c.path.DF = binary.BigEndian.Uint16(ip[4:]), ip[6]&0x40 != 0
		udp = ip[20:]
	case 6:
		src, _ = netip.AddrFromSlice(ip[8:24])
		dst, _ = netip.AddrFromSlice(ip[24:40])
		udp = ip[40:]
	default:
		t.Fatalf("IP version %d", ip[0]>>4)
	}
	if n := int(binary.BigEndian.Uint16(udp[4:])); n != len(udp) {
		t.Fatalf("UDP length %d of %d bytes", n, len(udp))
	}
	c.path.Src = netip.AddrPortFrom(src, binary.BigEndian.Uint16(udp))
	c.path.Dst = netip.AddrPortFrom(dst, binary.BigEndian.Uint16(udp[2:]))
	c.payload = udp[8:]
	return c
}

func icrcOf(t testing.TB, path Path) ICRC {
	t.Helper()
	c, err := NewICRC(path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCapturedICRC compares our CRC with the kernel's, for every packet.
func TestCapturedICRC(t *testing.T) {
	for i, pkt := range captures(t) {
		c := icrcOf(t, pkt.path)
		if !c.Verify(pkt.id, pkt.payload) {
			t.Errorf("packet %d, opcode %v: ICRC refused", i, Opcode(pkt.payload[0]))
		}
		made := c.Append(pkt.id, append([]byte(nil), pkt.payload[:len(pkt.payload)-ICRCLen]...))
		if string(made) != string(pkt.payload) {
			t.Errorf("packet %d, opcode %v: ICRC % x, kernel's % x", i, Opcode(pkt.payload[0]),
				made[len(made)-ICRCLen:], pkt.payload[len(pkt.payload)-ICRCLen:])
		}
		id, ok := c.RecoverID(0, pkt.payload)
		if is4 := pkt.path.Src.Addr().Is4(); ok != is4 || id != pkt.id {
			t.Errorf("packet %d: recovered id %d, %v, want %d, %v", i, id, ok, pkt.id, is4)
		}
	}
}

// TestCapturedRoundTrip parses each packet and builds it again.
func TestCapturedRoundTrip(t *testing.T) {
	seen := map[Opcode]bool{}
	for i, pkt := range captures(t) {
		p, err := Parse(pkt.payload)
		if err != nil {
			t.Errorf("packet %d: %v", i, err)
			continue
		}
		seen[p.BTH.Opcode] = true
		if got, want := string(p.Append(nil)), string(pkt.payload[:len(pkt.payload)-ICRCLen]); got != want {
			t.Errorf("packet %d, %v\n got % x\nwant % x", i, &p, got, want)
		}
	}
	for _, o := range []Opcode{
		RCSendOnly, RCSendOnlyImm, RCWriteFirst, RCWriteMiddle, RCWriteLast, RCWriteOnly, RCWriteOnlyImm, RCReadRequest,
		RCReadResponseFirst, RCReadResponseMiddle, RCReadResponseLast, RCReadResponseOnly, RCAcknowledge,
		RCAtomicAcknowledge, RCCompareSwap, RCFetchAdd, RCSendOnlyInvalidate, UCSendOnly, UCWriteOnlyImm,
		UDSendOnly, UDSendOnlyImm,
	} {
		if !seen[o] {
			t.Errorf("no %v in the captures", o)
		}
	}
}

// TestCapturedSummary compares the summaries of the packets of the IPv4 part.
func TestCapturedSummary(t *testing.T) {
	all := captures(t)
	for i, want := range capturedSummaries {
		p, err := Parse(all[i].payload)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.String(); got != want {
			t.Errorf("packet %d\n got %s\nwant %s", i, got, want)
		}
	}
}

var capturedSummaries = []string{
	"RC_SEND_ONLY qp 0xabcdef psn 0xfffffe len 5 ack_req",
	"RC_ACKNOWLEDGE qp 0x00d00d psn 0xfffffe ACK msn 1",
	"RC_SEND_ONLY_WITH_IMMEDIATE qp 0xabcdef psn 0xffffff imm 0xdeadbeef len 6 ack_req solicited",
	"RC_ACKNOWLEDGE qp 0x00d00d psn 0xffffff ACK msn 2",
	"RC_RDMA_WRITE_FIRST qp 0xabcdef psn 0x000000 va 0x000056398369e000 rkey 0x00000285 dma_len 2050 len 1024",
	"RC_RDMA_WRITE_MIDDLE qp 0xabcdef psn 0x000001 len 1024",
	"RC_RDMA_WRITE_LAST qp 0xabcdef psn 0x000002 len 2 ack_req",
	"RC_ACKNOWLEDGE qp 0x00d00d psn 0x000002 ACK msn 3",
	"RC_RDMA_READ_REQUEST qp 0xabcdef psn 0x000003 va 0x000056398369e000 rkey 0x00000285 dma_len 2051 ack_req",
	"RC_RDMA_READ_RESPONSE_FIRST qp 0x00d00d psn 0x000003 ACK msn 4 len 1024",
	"RC_RDMA_READ_RESPONSE_MIDDLE qp 0x00d00d psn 0x000004 len 1024",
	"RC_RDMA_READ_RESPONSE_LAST qp 0x00d00d psn 0x000005 ACK msn 4 len 3",
	"RC_COMPARE_SWAP qp 0xabcdef psn 0x000006 va 0x000056398369c000 rkey 0x00000285 swap_add 0x99aabbccddeeff00 compare 0x1122334455667788 ack_req",
	"RC_ATOMIC_ACKNOWLEDGE qp 0x00d00d psn 0x000006 ACK msn 5 orig 0x1122334455667788",
	"RC_FETCH_ADD qp 0xabcdef psn 0x000007 va 0x000056398369c000 rkey 0x00000285 swap_add 0x0000000000000005 compare 0x0000000000000000 ack_req",
	"RC_ATOMIC_ACKNOWLEDGE qp 0x00d00d psn 0x000007 ACK msn 6 orig 0x99aabbccddeeff00",
	"RC_RDMA_READ_REQUEST qp 0xabcdef psn 0x000008 va 0x000056398369e000 rkey 0x00000285 dma_len 3 ack_req",
	"RC_RDMA_READ_RESPONSE_ONLY qp 0x00d00d psn 0x000008 ACK msn 7 len 3",
	"RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE qp 0xabcdef psn 0x000009 va 0x000056398369e000 rkey 0x00000285 dma_len 7 imm 0xdeadbeef len 7 ack_req",
	"RC_ACKNOWLEDGE qp 0x00d00d psn 0x000009 ACK msn 8",
	"RC_SEND_ONLY qp 0xabcdef psn 0x00000a len 8 ack_req",
	"RC_ACKNOWLEDGE qp 0x00d00d psn 0x00000a RNR NAK 0.64 ms msn 8",
	"RC_SEND_ONLY_WITH_INVALIDATE qp 0xabcdef psn 0x00000b inv_rkey 0x12345678 len 9 ack_req",
	"RC_ACKNOWLEDGE qp 0x00d00d psn 0x00000a NAK PSN sequence error msn 8",
}
