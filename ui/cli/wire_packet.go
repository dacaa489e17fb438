package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/conversation"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/wire"
	"rdmatui/verbs/wire/mad"
)

// packetReport prints each packet.
type packetReport struct {
	out  *bufio.Writer
	json bool
	buf  []byte
}

func (r *packetReport) packet(s *conversation.Subject) error {
	if r.json {
		r.buf = harmless(appendFrameJSON(r.buf[:0], s))
	} else {
		r.buf = appendFrame(r.buf[:0], s)
	}
	_, err := r.out.Write(append(r.buf, '\n'))
	return err
}

func (r *packetReport) end(*capture.Totals) error { return nil }

// carried are the fields of the headers that carry a packet, by name.
var carried = func() map[string]capture.Field {
	all := map[string]capture.Field{}
	for _, f := range capture.Fields() {
		all[f.Name] = f
	}
	return all
}()

// appendFrame appends a packet's line, without a line end.
func appendFrame(b []byte, s *conversation.Subject) []byte {
	b = fmt.Appendf(b, "%d  %.9f  %s -> %s  ", s.Seq, s.T.Seconds(), wire.AddrText(s.Src.Addr()),
		wire.AddrText(s.Dst.Addr()))
	if len(s.Data) >= wire.BTHLen {
		b = s.Wire.AppendSummary(b)
	}
	if s.Err != nil {
		b = line.AppendEscape(append(b, "  "...), strings.TrimPrefix(s.Err.Error(), "wire: "))
	}
	if s.Outer != nil {
		b = append(append(b, "  in "...), s.Outer.String()...)
	}
	for _, name := range []string{"vlan", "dscp"} {
		if f := carried[name]; f.Of(s.Frame) != 0 {
			b = fmt.Appendf(b, " %s %d", name, f.Of(s.Frame))
		}
	}
	if m := mad.In(&s.Wire, len(s.Data)); m != nil {
		b = append(append(b, "  "...), m.String()...)
	}
	if names := s.Marks.Names(); len(names) > 0 {
		b = fmt.Appendf(b, "  [%s]", strings.Join(names, " "))
	}
	return b
}

// appendMAD appends a management datagram as members of an object.
func appendMAD(b []byte, m *mad.Message) []byte {
	b = fmt.Appendf(b, `,"mad":{"class":%q,"mgmt_class":%d,"class_version":%d,"method":%q,"method_number":%d,"attribute":%q,"attribute_id":%d,"modifier":%d,"tid":"0x%016x","status":%d,"status_name":%q}`,
		m.ClassName(), m.MgmtClass, m.ClassVersion, m.MethodName(), m.Method, m.AttributeName(), uint16(m.Attribute),
		m.Modifier, m.TransactionID, m.Status, m.StatusName())
	if m.CM == nil {
		return b
	}
	b = fmt.Appendf(b, `,"cm":%q,"private_data":"%x"`, m.String(), m.Private)
	if m.HasIP {
		b = fmt.Appendf(b, `,"rdma_cm":{"src":%q,"src_port":%d,"dst":%q,"dst_port":%d}`, m.IP.Src.Addr(),
			m.IP.Src.Port(), m.IP.Dst, m.Port)
	}
	return b
}

// verdicts are the words for the check of the ICRC.
var verdicts = [...]string{capture.Unchecked: "unchecked", capture.Right: "right", capture.Wrong: "wrong"}

// appendFrameJSON appends a packet as one JSON object, without a line end.
func appendFrameJSON(b []byte, s *conversation.Subject) []byte {
	b = fmt.Appendf(b, `{"packet":%d,"t":%.9f,"time":%q`, s.Seq, s.T.Seconds(), s.At.Format(time.RFC3339Nano))
	if s.Device != "" {
		b = fmt.Appendf(b, `,"interface":%s`, jsonText(s.Device))
	}
	b = s.AppendFields(b)
	for i := range capture.Fields() {
		switch f := &capture.Fields()[i]; {
		case !f.Has(s.Frame):
		case f.Of == nil:
			b = fmt.Appendf(b, `,%q:%q`, f.Name, f.Text(s.Frame))
		default:
			b = fmt.Appendf(b, `,%q:%d`, f.Name, f.Of(s.Frame))
		}
	}
	b = fmt.Appendf(b, `,"icrc":%q`, verdicts[s.ICRC])
	if s.V1 {
		b = append(b, `,"roce":1`...)
	}
	b = appendOuter(b, s.Outer.Layers())
	if s.Cut() {
		b = fmt.Appendf(b, `,"sent_len":%d`, s.Len)
	}
	if m := mad.In(&s.Wire, len(s.Data)); m != nil {
		b = appendMAD(b, m)
	}
	if s.Talk != nil {
		b = fmt.Appendf(b, `,"conversation":%d`, s.Talk.Number)
	}
	if names := s.Marks.Names(); len(names) > 0 {
		b = fmt.Appendf(b, `,"marks":["%s"]`, strings.Join(names, `","`))
	}
	if len(s.Comments) > 0 {
		all, _ := json.Marshal(s.Comments) // strings have a JSON form
		b = append(append(b, `,"comments":`...), all...)
	}
	return append(b, '}')
}

// appendOuter appends the encapsulations as a member of an object, the outermost first.
func appendOuter(b []byte, layers []capture.Layer) []byte {
	for i := range layers {
		l := &layers[i]
		b = append(b, [...]string{`,"outer":[`, `,`}[min(i, 1)]...)
		b = fmt.Appendf(b, `{"kind":%q`, l.Kind)
		if l.HasID {
			b = fmt.Appendf(b, `,%q:%d`, l.Kind.IDName(), l.ID)
		}
		src, dst, srcMAC, dstMAC := l.Addrs()
		for _, a := range []struct{ name, text string }{
			{"src", src}, {"dst", dst}, {"src_mac", srcMAC}, {"dst_mac", dstMAC},
		} {
			if a.text != "" {
				b = fmt.Appendf(b, `,%q:%q`, a.name, a.text)
			}
		}
		if l.VLAN > 0 {
			b = fmt.Appendf(b, `,"vlan":%d`, l.VLAN)
		}
		b = append(b, '}')
	}
	if len(layers) > 0 {
		b = append(b, ']')
	}
	return b
}

func jsonText(s string) []byte {
	b, _ := json.Marshal(s) // a string has a JSON form
	return b
}
