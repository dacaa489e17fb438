package packets

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// card is a provider whose devices record nothing.
type card struct {
	verbs.Provider
	devices []string
	err     error
}

func (c *card) Devices() (infos []verbs.DeviceInfo, err error) {
	for _, name := range c.devices {
		infos = append(infos, verbs.DeviceInfo{Name: name})
	}
	return infos, c.err
}

// recording is a provider whose devices record heads.
type recording struct {
	card
	heads map[string][]verbs.PacketHead
}

func (r *recording) RecordedPackets(device string) ([]verbs.PacketHead, error) {
	if heads := r.heads[device]; heads != nil {
		return heads, nil
	}
	return nil, errors.New("no such device")
}

var headsBegan = time.Unix(1e9, 0)

// sendOf is a packet from BTH to ICRC with a number.
func sendOf(psn int) []byte {
	p := wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, DestQP: 17, PSN: wire.PSN(psn)}}
	return append(p.Append(nil), 1, 2, 3, 4)
}

// headAt is the recorded head of packet psn, seen after so many milliseconds.
func headAt(ms, psn int, outgoing bool) verbs.PacketHead {
	data := sendOf(psn)
	h := verbs.PacketHead{At: headsBegan.Add(time.Duration(ms) * time.Millisecond), Outgoing: outgoing, Len: len(data)}
	copy(h.Head[:], data[:len(data)-wire.ICRCLen])
	return h
}

// TestHeads: of the packets that each device has recorded by itself, those from before the first kept packet of the
// device are listed. Providers that record nothing, or cannot list their devices, do no harm.
func TestHeads(t *testing.T) {
	kept := func(ms, psn int, device string, outgoing bool) *timeline.Packet {
		return &timeline.Packet{At: headsBegan.Add(time.Duration(ms) * time.Millisecond), Device: device,
			Outgoing: outgoing, Data: sendOf(psn)}
	}
	four := []verbs.PacketHead{headAt(1, 1, true), headAt(2, 2, false), headAt(3, 3, true), headAt(4, 4, false)}
	plain := &card{devices: []string{"mlx5_0"}}
	soft := &recording{card{devices: []string{"soft0", "soft1"}}, map[string][]verbs.PacketHead{
		"soft0": four, "soft1": {headAt(2, 9, true)}}}
	const both = "soft0 1 out, soft0 2 in, soft0 3 out, soft0 4 in, soft1 9 out"
	for _, tt := range []struct {
		name      string
		providers []verbs.Provider
		recorded  []*timeline.Packet
		want      string
	}{
		{"no provider", nil, nil, ""},
		{"nothing is recorded", []verbs.Provider{plain}, nil, ""},
		{"a device that is gone", []verbs.Provider{&recording{card: card{devices: []string{"soft2"}}}}, nil, ""},
		{"no list of devices", []verbs.Provider{&recording{card: card{err: errors.New("no list")}}, soft}, nil, both},
		{"nothing is kept", []verbs.Provider{soft}, nil, both},
		{"a card before the software devices", []verbs.Provider{plain, soft}, nil, both},
		{"a card after the software devices", []verbs.Provider{soft, plain}, nil, both},
		{"kept from a moment on", []verbs.Provider{soft}, []*timeline.Packet{kept(3, 7, "soft0", true)},
			"soft0 1 out, soft0 2 in, soft0 3 out, soft1 9 out"},
		{"kept later than recorded", []verbs.Provider{soft}, []*timeline.Packet{kept(4, 3, "soft0", true)},
			"soft0 1 out, soft0 2 in, soft1 9 out"},
		{"only the first that is kept counts", []verbs.Provider{soft}, []*timeline.Packet{kept(3, 3, "soft0", true),
			kept(4, 1, "soft0", true)}, "soft0 1 out, soft0 2 in, soft1 9 out"},
		{"the same in the other direction", []verbs.Provider{soft}, []*timeline.Packet{kept(3, 3, "soft0", false)},
			"soft0 1 out, soft0 2 in, soft0 3 out, soft1 9 out"},
		{"the first of all", []verbs.Provider{soft}, []*timeline.Packet{kept(1, 1, "soft0", true)}, "soft1 9 out"},
		{"before all", []verbs.Provider{soft}, []*timeline.Packet{kept(0, 1, "soft0", true)}, "soft1 9 out"},
		{"of another device", []verbs.Provider{soft}, []*timeline.Packet{kept(0, 1, "mlx5_0", true),
			kept(2, 9, "soft1", true)}, "soft0 1 out, soft0 2 in, soft0 3 out, soft0 4 in"},
	} {
		s := &core.Session{Opts: core.Options{Providers: tt.providers}, Start: headsBegan}
		got := ""
		for i, p := range Heads(s, tt.recorded) {
			if i > 0 {
				got += ", "
			}
			got += fmt.Sprintf("%s %d %s", p.Device, p.Wire.BTH.PSN, p.Direction())
			psn := int(p.Wire.BTH.PSN)
			whole := sendOf(psn)
			if p.Err != nil || !slices.Equal(p.Data, whole[:len(whole)-wire.ICRCLen]) || p.Cropped != wire.ICRCLen ||
				p.T != p.At.Sub(headsBegan) {
				t.Errorf("%s: %+v", tt.name, p)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestHeadLen: the head of a packet ends where its ICRC begins, or what is recorded ends.
func TestHeadLen(t *testing.T) {
	for whole, want := range map[int]int{0: 0, 3: 0, 4: 0, 5: 1, 16: 12, 43: 39, 44: 40, 45: 40, 4096: 40} {
		if got := headLen(&verbs.PacketHead{Len: whole}); got != want {
			t.Errorf("%d bytes: %d, want %d", whole, got, want)
		}
	}
}
