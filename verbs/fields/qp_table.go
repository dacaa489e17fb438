package fields

import (
	"fmt"
	"strconv"

	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// QPField describes one field of QPAttr: its names, its mask bit, and how it is
// parsed and formatted.
type QPField struct {
	Name   string         // in the command language: "path_mtu", "dgid"
	CName  string         // in C, from struct ibv_qp_attr: "ah_attr.grh.dgid"
	Bit    verbs.AttrMask // the mask bit that the field belongs to
	Max    uint64         // largest legal encoded value, 0 = not a number
	Names  []string       // the names of its values, nil for numbers and addresses
	Format func(a *verbs.QPAttr) string
	Parse  func(a *verbs.QPAttr, s string) error // sets the value only; see [QPField.Set]
	store  func(a *verbs.QPAttr, n uint64, g verbs.GID)
	copy   func(dst, src *verbs.QPAttr) // copies the value only; see [Merge]
}

// Store sets the field to a value that is known to fit, and sets the mask bit: n for a number, a choice or a set of
// flags, 1 for what is on, g for an address.
func (f *QPField) Store(a *verbs.QPAttr, n uint64, g verbs.GID) {
	f.store(a, n, g)
	a.Mask |= f.Bit
}

// Set parses s into the field and sets the mask bit.
func (f *QPField) Set(a *verbs.QPAttr, s string) error {
	if err := f.Parse(a, s); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	a.Mask |= f.Bit
	return nil
}

// Merge copies the fields that src's mask names, and sets their mask bits.
func Merge(dst, src *verbs.QPAttr) {
	for i := range QP {
		if f := &QP[i]; src.Mask&f.Bit != 0 {
			f.copy(dst, src)
			dst.Mask |= f.Bit
		}
	}
}

// QPNamed returns the field with the given name in the command language, nil if
// there is none.
func QPNamed(name string) *QPField {
	for i := range QP {
		if QP[i].Name == name {
			return &QP[i]
		}
	}
	return nil
}

// QPOf returns the fields of a mask bit, in table order.
func QPOf(bit verbs.AttrMask) []*QPField {
	var fs []*QPField
	for i := range QP {
		if QP[i].Bit&bit != 0 {
			fs = append(fs, &QP[i])
		}
	}
	return fs
}

// QP lists every field that ibv_modify_qp(3) can set, in the order in which
// bring-up uses them.
var QP = []QPField{
	enumField("qp_state", verbs.AttrState, verbs.QPStates, func(a *verbs.QPAttr) *verbs.QPState { return &a.QPState }),
	enumField("cur_qp_state", verbs.AttrCurState, verbs.QPStates, func(a *verbs.QPAttr) *verbs.QPState {
		return &a.CurQPState
	}),
	uintField("pkey_index", verbs.AttrPKeyIndex, 16, func(a *verbs.QPAttr) *uint16 { return &a.PKeyIndex }),
	uintField("port_num", verbs.AttrPort, 8, func(a *verbs.QPAttr) *uint8 { return &a.PortNum }),
	integerField("qp_access_flags", "qp_access_flags", verbs.AttrAccessFlags, verbs.AccessFlags.Names(),
		func(a *verbs.QPAttr) *verbs.Access { return &a.QPAccessFlags }, verbs.Access.String, verbs.AccessFlags.Parse),
	hexField("qkey", verbs.AttrQKey, 32, func(a *verbs.QPAttr) *uint32 { return &a.QKey }),
	integerField("path_mtu", "path_mtu", verbs.AttrPathMTU, []string{"256", "512", "1024", "2048", "4096"},
		func(a *verbs.QPAttr) *verbs.MTU { return &a.PathMTU }, verbs.MTU.String, verbs.ParseMTU),
	hexField("dest_qp_num", verbs.AttrDestQPN, 24, func(a *verbs.QPAttr) *verbs.QPN { return &a.DestQPNum }),
	hexField("rq_psn", verbs.AttrRQPSN, 24, func(a *verbs.QPAttr) *verbs.PSN { return &a.RQPSN }),
	uintField("max_dest_rd_atomic", verbs.AttrMaxDestRDAtomic, 8, func(a *verbs.QPAttr) *uint8 {
		return &a.MaxDestRDAtomic
	}),
	uintField("min_rnr_timer", verbs.AttrMinRNRTimer, 5, func(a *verbs.QPAttr) *uint8 { return &a.MinRNRTimer }),
	boolField("is_global", "ah_attr.is_global", verbs.AttrAV, func(a *verbs.QPAttr) *bool { return &a.AH.IsGlobal }),
	gidField("dgid", "ah_attr.grh.dgid", verbs.AttrAV, func(a *verbs.QPAttr) *verbs.GID { return &a.AH.GRH.DGID }),
	avField("sgid_index", "grh.sgid_index", 8, func(a *verbs.QPAttr) *uint8 { return &a.AH.GRH.SGIDIndex }),
	avField("hop_limit", "grh.hop_limit", 8, func(a *verbs.QPAttr) *uint8 { return &a.AH.GRH.HopLimit }),
	avField("traffic_class", "grh.traffic_class", 8, func(a *verbs.QPAttr) *uint8 { return &a.AH.GRH.TrafficClass }),
	avField("flow_label", "grh.flow_label", 20, func(a *verbs.QPAttr) *uint32 { return &a.AH.GRH.FlowLabel }),
	avField("dlid", "dlid", 16, func(a *verbs.QPAttr) *uint16 { return &a.AH.DLID }),
	avField("sl", "sl", 4, func(a *verbs.QPAttr) *uint8 { return &a.AH.SL }),
	avField("src_path_bits", "src_path_bits", 7, func(a *verbs.QPAttr) *uint8 { return &a.AH.SrcPathBits }),
	avField("static_rate", "static_rate", 5, func(a *verbs.QPAttr) *uint8 { return &a.AH.StaticRate }),
	avField("ah_port_num", "port_num", 8, func(a *verbs.QPAttr) *uint8 { return &a.AH.PortNum }),
	hexField("sq_psn", verbs.AttrSQPSN, 24, func(a *verbs.QPAttr) *verbs.PSN { return &a.SQPSN }),
	uintField("timeout", verbs.AttrTimeout, 5, func(a *verbs.QPAttr) *uint8 { return &a.Timeout }),
	uintField("retry_cnt", verbs.AttrRetryCnt, 3, func(a *verbs.QPAttr) *uint8 { return &a.RetryCnt }),
	uintField("rnr_retry", verbs.AttrRNRRetry, 3, func(a *verbs.QPAttr) *uint8 { return &a.RNRRetry }),
	uintField("max_rd_atomic", verbs.AttrMaxQPRDAtomic, 8, func(a *verbs.QPAttr) *uint8 { return &a.MaxRDAtomic }),
	boolField("en_sqd_async_notify", "en_sqd_async_notify", verbs.AttrEnSQDAsyncNotify, func(a *verbs.QPAttr) *bool {
		return &a.EnSQDAsyncNotify
	}),
	enumField("path_mig_state", verbs.AttrPathMigState, verbs.MigStates, func(a *verbs.QPAttr) *verbs.MigState {
		return &a.PathMigState
	}),
	uintField("alt_timeout", verbs.AttrAltPath, 5, func(a *verbs.QPAttr) *uint8 { return &a.AltTimeout }),
	uintField("alt_port_num", verbs.AttrAltPath, 8, func(a *verbs.QPAttr) *uint8 { return &a.AltPortNum }),
	uintField("alt_pkey_index", verbs.AttrAltPath, 16, func(a *verbs.QPAttr) *uint16 { return &a.AltPKeyIndex }),
	gidField("alt_dgid", "alt_ah_attr.grh.dgid", verbs.AttrAltPath, func(a *verbs.QPAttr) *verbs.GID {
		return &a.AltAH.GRH.DGID
	}),
	uintField("rate_limit", verbs.AttrRateLimit, 32, func(a *verbs.QPAttr) *uint32 { return &a.RateLimit }),
}

// valueField describes a field whose value is at a place in QPAttr.
func valueField[T any](name, cname string, bit verbs.AttrMask, names []string, at func(*verbs.QPAttr) *T,
	format func(T) string, parse func(string) (T, error)) QPField {
	return QPField{
		Name: name, CName: cname, Bit: bit, Names: names,
		Format: func(a *verbs.QPAttr) string { return format(*at(a)) },
		Parse: func(a *verbs.QPAttr, s string) error {
			v, err := parse(s)
			if err == nil {
				*at(a) = v
			}
			return err
		},
		copy: func(dst, src *verbs.QPAttr) { *at(dst) = *at(src) },
	}
}

func integerField[T verbs.Integer](name, cname string, bit verbs.AttrMask, names []string, at func(*verbs.QPAttr) *T,
	format func(T) string, parse func(string) (T, error)) QPField {
	f := valueField(name, cname, bit, names, at, format, parse)
	f.store = func(a *verbs.QPAttr, n uint64, _ verbs.GID) { *at(a) = T(n) }
	return f
}

func gidField(name, cname string, bit verbs.AttrMask, at func(*verbs.QPAttr) *verbs.GID) QPField {
	f := valueField(name, cname, bit, nil, at, verbs.GID.String, verbs.ParseGID)
	f.store = func(a *verbs.QPAttr, _ uint64, g verbs.GID) { *at(a) = g }
	return f
}

func numberField[T verbs.Integer](name, cname string, bit verbs.AttrMask, bits int, at func(*verbs.QPAttr) *T,
	format func(T) string) QPField {
	limit := uint64(1)<<bits - 1
	f := integerField(name, cname, bit, nil, at, format, func(s string) (T, error) {
		n, err := verbs.ParseUint(s, 64)
		if err == nil && n > limit {
			err = fmt.Errorf("%s is too large: the field has %d bits, at most %d", s, bits, limit)
		}
		return T(n), err
	})
	f.Max = limit
	return f
}

func decimal[T verbs.Integer](v T) string     { return strconv.FormatUint(uint64(v), 10) }
func hexadecimal[T verbs.Integer](v T) string { return fmt.Sprintf("0x%06x", uint64(v)) }

func uintField[T verbs.Integer](name string, bit verbs.AttrMask, bits int, at func(*verbs.QPAttr) *T) QPField {
	return numberField(name, name, bit, bits, at, decimal)
}

func hexField[T verbs.Integer](name string, bit verbs.AttrMask, bits int, at func(*verbs.QPAttr) *T) QPField {
	return numberField(name, name, bit, bits, at, hexadecimal)
}

func avField[T verbs.Integer](name, inAH string, bits int, at func(*verbs.QPAttr) *T) QPField {
	return numberField(name, "ah_attr."+inAH, verbs.AttrAV, bits, at, decimal)
}

func enumField[T verbs.Integer](name string, bit verbs.AttrMask, e verbs.Enum[T], at func(*verbs.QPAttr) *T) QPField {
	return integerField(name, name, bit, e.Names(), at, e.Name, e.Parse)
}

func boolField(name, cname string, bit verbs.AttrMask, at func(*verbs.QPAttr) *bool) QPField {
	f := valueField(name, cname, bit, []string{"0", "1"}, at, formatBool, parseBool)
	f.store = func(a *verbs.QPAttr, n uint64, _ verbs.GID) { *at(a) = n != 0 }
	return f
}

func formatBool(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

func parseBool(s string) (bool, error) {
	on, err := strconv.ParseBool(s)
	if err != nil {
		return false, fmt.Errorf("%q is neither 0 nor 1", s)
	}
	return on, nil
}

// Decoded returns the meaning of an encoded value ("67.1 ms" for timeout 14),
// "" if the text is already complete.
func (f *QPField) Decoded(a *verbs.QPAttr) string {
	switch f.Name {
	case "timeout":
		return decodedTimeout(a.Timeout)
	case "alt_timeout":
		return decodedTimeout(a.AltTimeout)
	case "min_rnr_timer":
		return format.Span(verbs.RNRTimer(a.MinRNRTimer))
	case "rnr_retry":
		if a.RNRRetry == verbs.InfiniteRNRRetry {
			return "for ever"
		}
	}
	return ""
}

func decodedTimeout(n uint8) string {
	if n == 0 {
		return "for ever"
	}
	return format.Span(verbs.AckTimeout(n))
}
