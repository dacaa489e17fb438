package explain

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	// aboutCompletion are words of lines that tell how a request ended.
	aboutCompletion = []string{"wr_id", "ibv_wc_status", "poll_cq", "ibv_poll_cq", "wc_status", "syndrom", "synd",
		"vend", "vend_err", "vendor_err", "vender_err", "vendor_error", "kiblnd_tx_complete", "kiblnd_rx_complete"}
	// perhapsCompletion stand in other lines as well, as "failed to create
	// completion queue: error 12".
	perhapsCompletion = []string{"completion", "completions", "cq", "cqe", "cqes", "wc", "polling", "wqe",
		"rkey", "dest_rkey", "lkey"}
	// vendorWords are words after which the vendor's number comes.
	vendorWords = []string{"vend", "vend_err", "vendor_err", "vender_err", "vendor_error", "syndrom", "vendor_syndrome"}
	// vendorSays are what stands between vendor and its number.
	vendorSays = []string{"err", "error", "code", "syndrome", "synd"}
	// statusWords are words that say that a status follows, those that can say nothing else first: libfabric prints
	// its own number before the provider's.
	statusWords = [][]string{{"prov_errno", "prov_err", "provider"}, {"status", "wc_status", "ibv_wc_status"},
		{"error", "err"}, {"failed"}}
)

// completion reads how a request ended: the status by its name, else the number
// after status or error, else the device's syndrome. Beside it stands what the
// device says of it.
func (l *logLine) completion() []finding {
	about, said := l.aboutCompletion(), l.device()
	status, numbered := l.statusNamed(3), (*Entry)(nil)
	syndrome, isStatus := l.syndrome()
	if about && !isStatus && !l.aboutEFA() {
		for _, words := range statusWords {
			if numbered == nil {
				numbered = l.statusNumber(words...)
			}
		}
	}
	if status == nil {
		status = numbered
	}
	if status == nil && about {
		status = l.statusNamed(2)
	}
	if status == nil && syndrome != nil && about {
		_, name, _ := strings.Cut(syndrome.raw.see, " ")
		status = l.find("wc_status", name)
	}
	if status == nil {
		return nil
	}
	found := cause(numbered != nil || len(said) > 0, status)
	if syndrome != nil {
		found = append(found, beside(syndrome)...)
	}
	return append(found, said...)
}

// statusNamed is the status whose name stands in the line. A line that says that
// something failed has SUCCESS for what was not so: "Check failed: wc.status ==
// IBV_WC_SUCCESS".
func (l *logLine) statusNamed(least int) *Entry {
	e := l.name("wc_status", least)
	if e != nil && e.Name == "SUCCESS" && (l.saysFailed() || strings.Contains(l.text, "==")) {
		return nil
	}
	return e
}

func (l *logLine) aboutCompletion() bool {
	if l.has(aboutCompletion...) || l.vendorAt() > 0 || l.has("wc") && l.has("status") ||
		hasPhrase(l.words, "completed", "with", "error") {
		return true
	}
	return l.has(perhapsCompletion...) && l.verb() == ""
}

// statusNumber is the status whose number stands after one of the words. What failed has no status 0.
func (l *logLine) statusNumber(words ...string) *Entry {
	numbers := l.family("wc_status").numbers
	isStatus := func(n int64) bool { return len(numbers[n]) > 0 && (n != 0 || !l.saysFailed()) }
	if n, ok := l.valueOf(words, isStatus); ok && !l.errnoSaid() {
		return numbers[n][0]
	}
	return nil
}

// errnoSaid reports that the line has the text of an errno, so that its numbers are
// not those of completions.
func (l *logLine) errnoSaid() bool {
	return l.name("errno", 2) != nil && !l.has(aboutCompletion...) && !hasPhrase(l.words, "completion", "with", "error")
}

// vendorAt is the place of the word after which the vendor's number comes, 0 where there is none.
func (l *logLine) vendorAt() int {
	for i, w := range l.words {
		switch {
		case slices.Contains(vendorWords, w):
			return i
		case w == "vendor" && i+1 < len(l.words) && slices.Contains(vendorSays, l.words[i+1]):
			return i + 1
		}
	}
	return 0
}

// device is what the device itself says of a completion, nil where it says nothing or 0.
func (l *logLine) device() []finding {
	at := l.vendorAt()
	if at == 0 || at+1 == len(l.words) {
		return nil
	}
	text := l.words[at+1]
	n, ok := number(text)
	if said := l.words[at]; (said == "vender_err" || said == "vend_err") && !strings.HasPrefix(text, "0x") {
		var err error // rping, which misspells it, and iser print it in hexadecimal
		n, err = strconv.ParseInt(text, 16, 64)
		ok = err == nil
	}
	if !ok || n == 0 {
		return nil
	}
	for _, d := range otherDrivers {
		if slices.ContainsFunc(l.words, func(w string) bool { return strings.HasPrefix(w, d.begin) }) {
			return deviceSays(l.find("vendor_err", d.entry), text)
		}
	}
	c := l.family("vendor_err")
	if entries := c.numbers[n]; len(entries) > 0 {
		return beside(entries...)
	}
	return deviceSays(c.other, text)
}

func deviceSays(e *Entry, text string) []finding {
	return []finding{{Entry: e.asked(text), rank: rankBeside}}
}

// otherDrivers are what names of devices begin with whose vendor_err is not that of
// mlx5, and the entries of those.
var otherDrivers = []struct{ begin, entry string }{
	{"bnxt_re", "bnxt_re"}, {"irdma", "irdma"}, {"rdmap", "efa"}, {"efa_", "efa"}, {"erdma", "erdma"},
	{"hns_", "hns"}, {"cxgb4", "cxgb4"},
}

// syndrome is the syndrome of mlx5's completion, nil where the line has none. hns
// has the same numbers and prints them as "cqe status 0x15": isStatus reports that
// this is no number of ibv_wc_status.
func (l *logLine) syndrome() (e *Entry, isStatus bool) {
	for i, w := range l.words[:max(len(l.words)-1, 0)] {
		before, next := "", l.words[i+1]
		if i > 0 {
			before = l.words[i-1]
		}
		isStatus = w == "status" && (before == "cqe" || l.has("syndrome")) && strings.HasPrefix(next, "0x")
		if !isStatus && (w != "synd" && w != "syndrome" || before == "vendor" || before == "hw" ||
			anyHas(l.words, "health")) {
			continue
		}
		if n, ok := number(next); ok {
			if e := l.family("cqe_syndrome").numbers[n]; len(e) > 0 {
				return e[0], isStatus
			}
		}
	}
	return nil, false
}

// Places in the last 16 bytes of mlx5's error completion, struct mlx5_err_cqe:
// vendor_err_synd, syndrome, and in the upper half of op_own what it is.
const (
	cqeRow                          = 16
	cqeVendorAt, cqeSyndromeAt      = 6, 7
	cqeOwnAt                        = 15
	cqeRequesterErr, cqeResponseErr = 0xd, 0xe
)

// lastRow is the address of that row in a completion that is printed as bytes.
const lastRow = "00000030"

// dump reads the last row of an error completion of mlx5, as libmlx5, the kernel and DPDK print it.
func (l *logLine) dump() []finding {
	for i := range l.words {
		row := hexRow(l.words[i:])
		if row == nil || row[cqeOwnAt]>>4 != cqeRequesterErr && row[cqeOwnAt]>>4 != cqeResponseErr {
			continue
		}
		e := l.family("cqe_syndrome").numbers[int64(row[cqeSyndromeAt])]
		if len(e) == 0 {
			continue
		}
		_, name, _ := strings.Cut(e[0].raw.see, " ")
		found := append(cause(true, l.find("wc_status", name)), beside(e[0])...)
		if v := l.family("vendor_err").numbers[int64(row[cqeVendorAt])]; len(v) > 0 {
			found = append(found, beside(v...)...)
		}
		return found
	}
	return nil
}

// hexRow reads 16 bytes from 4 words of 8 digits, or from the address 00000030 and
// 16 words of 2; nil where they are none.
func hexRow(words []string) []byte {
	n, digits := 4, 8
	if len(words[0]) == 8 && len(words) > cqeRow && words[0] == lastRow && len(words[1]) == 2 {
		words, n, digits = words[1:], cqeRow, 2
	}
	if len(words) < n {
		return nil
	}
	row := make([]byte, 0, cqeRow)
	for _, w := range words[:n] {
		v, err := strconv.ParseUint(w, 16, 32)
		if err != nil || len(w) != digits {
			return nil
		}
		for shift := digits*4 - 8; shift >= 0; shift -= 8 {
			row = append(row, byte(v>>shift))
		}
	}
	return row
}

// aboutEFA reports that the line is of EFA, or of libfabric's provider for it.
func (l *logLine) aboutEFA() bool {
	return slices.ContainsFunc(l.words, func(w string) bool {
		return w == "efa" || slices.ContainsFunc(efaBegins, func(b string) bool { return strings.HasPrefix(w, b) })
	})
}

// efaBegins are what names of functions of that provider begin with.
var efaBegins = []string{"rxr_", "efa_rdm_"}

// efaEnd is the number of a status at the end of a message of EFA: "message: Invalid address ... (7)".
var efaEnd = regexp.MustCompile(`\((\d{1,4})\)\W*$`)

// efaStatus reads a number of EFA, which stands where others print an ibv_wc_status or an errno.
func (l *logLine) efaStatus() []finding {
	at := slices.IndexFunc(l.words, func(w string) bool { return w == "prov_err" || w == "prov_errno" })
	ended := efaEnd.FindStringSubmatch(l.text)
	if !l.aboutEFA() || at < 0 && (ended == nil || !l.has("message")) ||
		!l.has("cq", "eq", "completion", "completed") &&
			!anyHas(l.words, "_cq_") && !anyHas(l.words, "_txe_") && !anyHas(l.words, "_rxe_") {
		return nil
	}
	c, said := l.family("efa_status"), ""
	if ended != nil {
		said = ended[1]
	} else {
		said, _ = l.numberAfter(at, len(l.words))
	}
	if n, ok := number(said); ok && len(c.numbers[max(n, -n)]) > 0 {
		return cause(true, c.numbers[max(n, -n)][0])
	}
	if c.other == nil {
		return nil
	}
	found := cause(true, c.other)
	found[0].Asked = said
	return found
}

// anyHas reports that one of the words has the text in it.
func anyHas(words []string, text string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, text) })
}
