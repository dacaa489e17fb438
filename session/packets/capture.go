package packets

import (
	"cmp"
	"errors"
	"fmt"

	"rdmatui/session/capture"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs/format"
)

// packetCapture is a capture started by a command.
type packetCapture struct {
	limit  uint64 // packets after which the capture ends; 0: no limit
	taken  uint64
	missed uint64
	began  capture.Counts
	file   *packetFile // nil: none
}

// packetFile is a pcapng file that is being written.
type packetFile struct {
	*capture.Writer
	to *core.File
}

// createPacketFile creates a pcapng file. It fails if the file exists.
func createPacketFile(path string) (*packetFile, error) {
	f, err := core.CreateFile(path)
	if err != nil {
		return nil, err
	}
	return &packetFile{capture.NewWriter(f), f}, nil
}

func (c *packetCapture) describe() string {
	text := format.Counted(c.taken, "packet")
	if c.limit > 0 {
		text += " of " + format.Count(uint64(c.limit))
	}
	if c.file != nil {
		text += " to " + c.file.to.Path
	}
	return text
}

// record adds one packet to a capture. The caller holds packets.mu.
func (p *packets) record(t *packetTap, packet *timeline.Packet) {
	c := t.capture
	c.taken++
	c.missed += packet.Missed
	p.s.Tell.Event(timeline.Event{Kind: timeline.KindPacket, Packet: packet})
	failed := c.file != nil && c.file.Write(packet) != nil
	if c.taken != c.limit && !failed {
		return
	}
	text, err := p.finish(t)
	p.settle(t) // switching a tap off does not fail
	if err != nil {
		t.failed = fmt.Errorf("capture of %s: %w", t.device, err)
		p.s.Note(timeline.LevelError, "%v", t.failed)
		return
	}
	p.s.Note(timeline.LevelInfo, "capture of %s: %s", t.device, text)
}

// finish ends a capture and describes its contents. The caller holds packets.mu.
func (p *packets) finish(t *packetTap) (string, error) {
	c, now := t.capture, t.Counts()
	t.capture = nil
	text := format.Counted(c.taken, "packet") + " captured"
	sent, received := now.Sent-c.began.Sent, now.Received-c.began.Received
	if missed := now.Missed - c.began.Missed; missed > 0 {
		text += fmt.Sprintf(", %s not recorded: too many at once", format.Count(missed))
	}
	text += fmt.Sprintf("; meanwhile %s sent %s and received %s", t.device, format.Count(sent), format.Count(received))
	if c.file == nil {
		return text, nil
	}
	if err := cmp.Or(c.file.Close(), c.file.to.Close()); err != nil {
		return "", fmt.Errorf("writing %s: %w; the file is incomplete", c.file.to.Path, err)
	}
	return text + "; written to " + c.file.to.Path, nil
}

// tappedDevice returns the device that the command names; without a name, the only open
// device, or the only one that exists.
func tappedDevice(c *core.Call) (string, error) {
	if name := c.Cmd.String("device"); name != "" {
		return name, nil
	}
	names := tappers(c.S)
	var open []string
	for _, name := range names {
		if c.S.Taken(name) {
			open = append(open, name)
		}
	}
	if len(open) > 0 {
		names = open
	}
	if len(names) != 1 {
		return "", &core.ChoiceError{Kinds: []command.ObjectKind{command.KindAvailable}, Names: names}
	}
	c.Choose("device", names[0])
	return names[0], nil
}

// Capture starts or ends a capture, as its command says.
func Capture(c *core.Call) error {
	name, err := tappedDevice(c)
	if err != nil {
		return err
	}
	p := TapsOf(c.S)
	p.mu.Lock()
	defer p.mu.Unlock()
	t, err := p.tap(name)
	if err != nil {
		return err
	}
	p.readAll() // earlier packets belong to what was running before
	if c.Cmd.String("switch") == "off" {
		return endCapture(c, p, t)
	}
	if t.capture != nil {
		return fmt.Errorf("a capture of %s is already running: %s", name, t.capture.describe())
	}
	wanted := &packetCapture{limit: c.Cmd.Uint("limit"), began: t.Counts()}
	if c.Cmd.Has("file") {
		if wanted.file, err = createPacketFile(c.Cmd.String("file")); err != nil {
			return err
		}
	}
	t.capture = wanted
	if err := p.settle(t); err != nil {
		_, ended := p.finish(t)
		return errors.Join(err, ended)
	}
	c.Done.Result = "recording the packets of " + name + " on the time line"
	return nil
}

// noPackets says why there are no packets to save, of a device or ("") of all.
func noPackets(s *core.Session, device string) error {
	if !TapsOf(s).Any.Load() {
		return errors.New("no packets are being recorded: start a capture, then send again")
	}
	if device != "" {
		return fmt.Errorf("no packets of %s recorded yet", device)
	}
	return errors.New("no packets recorded yet")
}

func endCapture(c *core.Call, p *packets, t *packetTap) error {
	if err := t.failed; err != nil && t.capture == nil {
		t.failed = nil // reported now
		return err
	}
	if t.capture == nil {
		return fmt.Errorf("no capture of %s is running", t.device)
	}
	err := t.turn(p.watch)
	if p.read(); t.capture == nil { // the last packets have reached its limit
		return endCapture(c, p, t)
	}
	text, ended := p.finish(t)
	if err := errors.Join(err, ended, p.settle(t)); err != nil {
		return err
	}
	c.Done.Result = text
	return nil
}

// WriteFile writes packets with their comments to a new pcapng file; comment describes the file. The caller finishes
// it.
func WriteFile(f *core.File, comment string, list []*timeline.Packet, comments [][]string) error {
	w := capture.NewWriter(f)
	w.Comment = comment
	for i, packet := range list {
		if err := w.Write(packet, comments[i]...); err != nil {
			return err
		}
	}
	return w.Close()
}

// SavePackets writes the recorded packets to a new pcapng file.
func SavePackets(c *core.Call) error {
	Flush(c.S)
	device := c.Cmd.String("device")
	var kept []*timeline.Packet
	for _, packet := range Since(c.S, 0, 0, nil) {
		if device == "" || packet.Device == device {
			kept = append(kept, packet)
		}
	}
	if len(kept) == 0 {
		return noPackets(c.S, device)
	}
	f, err := createPacketFile(c.Cmd.String("file"))
	if err != nil {
		return err
	}
	for _, packet := range kept {
		if err = f.Write(packet); err != nil {
			break
		}
	}
	if err := f.to.Finish(cmp.Or(err, f.Close())); err != nil {
		return fmt.Errorf("writing %s: %w", f.to.Path, err)
	}
	c.Done.Result = fmt.Sprintf("%s written to %s", format.Counted(len(kept), "packet"), f.to.Path)
	return nil
}
