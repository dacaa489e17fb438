package export

import (
	"fmt"
	"strings"

	"rdmatui/session/command"
)

// mark encloses the placeholder of a C variable (mark, stem, mark) until the whole
// program is written: only then is it known which names are free.
const mark = "\x01"

// variables holds the C variables of a program. Two objects may have had the same
// name, the later one of another kind.
type variables struct {
	order []*variable
	byKey map[string]*variable
}

type variable struct {
	key    string // as in the text
	stem   string // the user's name, with a suffix for what goes with an object
	suffix string // makes it unique if the name is taken: its kind
	ctype  string // with the space or asterisk before the name
	zero   string // what it holds at first
}

// named returns the text that stands for a variable.
func (v *variables) named(stem, suffix, ctype, zero string) string {
	key := suffix + " " + stem
	if v.byKey == nil {
		v.byKey = map[string]*variable{}
	}
	if v.byKey[key] == nil {
		one := &variable{key, stem, suffix, ctype, zero}
		v.byKey[key] = one
		v.order = append(v.order, one)
	}
	return mark + key + mark
}

// declarations returns the declarations of the variables that text uses.
func (v *variables) declarations(text string) string {
	var b strings.Builder
	for _, one := range v.order {
		if name := mark + one.key + mark; strings.Contains(text, name) {
			fmt.Fprintf(&b, "\t%s%s = %s;\n", one.ctype, name, one.zero)
		}
	}
	return b.String()
}

// withoutIdle removes assignments to a variable that is never read: the queue pair of
// an identifier.
func (v *variables) withoutIdle(text string) string {
	for _, one := range v.order {
		name := mark + one.key + mark
		if strings.Count(text, name) != 1 {
			continue
		}
		if at := strings.Index(text, name+" = "); at >= 0 {
			begin, end := strings.LastIndexByte(text[:at], '\n')+1, at+strings.IndexByte(text[at:], '\n')+1
			if strings.HasSuffix(text[at:end], "->qp;\n") {
				text = text[:begin] + text[end:]
			}
		}
	}
	return text
}

// ctypes are the variables of each kind of object.
var ctypes = map[command.ObjectKind]struct{ ctype, suffix, zero string }{
	command.KindDevice:  {"struct ibv_context *", "context", "NULL"},
	command.KindPD:      {"struct ibv_pd *", "pd", "NULL"},
	command.KindMR:      {"struct ibv_mr *", "mr", "NULL"},
	command.KindChannel: {"struct ibv_comp_channel *", "channel", "NULL"},
	command.KindCQ:      {"struct ibv_cq *", "cq", "NULL"},
	command.KindSRQ:     {"struct ibv_srq *", "srq", "NULL"},
	command.KindQP:      {"struct ibv_qp *", "qp", "NULL"},
	command.KindAH:      {"struct ibv_ah *", "ah", "NULL"},
	command.KindPeer:    {"struct peer ", "peer", "{ .sock = -1 }"},
	command.KindEvents:  {"struct rdma_event_channel *", "events", "NULL"},
	command.KindID:      {"struct rdma_cm_id *", "id", "NULL"},

	command.KindAddrInfo: {"struct rdma_addrinfo *", "addrinfo", "NULL"},
	command.KindMW:       {"struct ibv_mw *", "mw", "NULL"},
	command.KindDM:       {"struct ibv_dm *", "dm", "NULL"},
}

func (v *variables) object(kind command.ObjectKind, name string) string {
	t := ctypes[kind]
	return v.named(name, t.suffix, t.ctype, t.zero)
}

// keywords are those of C11 and GNU C, and lower or mixed case macros of the headers:
// a variable cannot have such a name. A test asks the compiler for more.
const keywords = `auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm typeof
bool true false nullptr constexpr static_assert thread_local alignas alignof typeof_unqual alloca linux unix i386 errno
stdin stdout stderr offsetof main assert static_assert noreturn complex imaginary`

// alsoMacros matches the beginnings of mixed-case macro names.
var alsoMacros = pattern(`^(ibv_|verbs_|rdma_|SYS_|PRI|SCN|INT|UINT|AF_|PF_|L_|P_|h_|st_|s6_|[bl]e\d|hto|sched_|pthread_|vext_|container_of|is(al|as|bl|cn|di|gr|lo|pr|pu|sp|up|xd)|to(ascii|lower|upper))`)

var allCaps = pattern(`^[A-Z0-9_]{2,}$`)

var identifiers = pattern(`[A-Za-z_][A-Za-z0-9_]*`)

// memberAccess matches the name of a member or type, which cannot clash with a
// variable.
var memberAccess = pattern(`(->|\.|struct |union |enum )[ \t]*[A-Za-z_][A-Za-z0-9_]*`)

// settle chooses the names and inserts them into the program. Other identifiers in
// main are taken; those in other functions do not matter.
func (v *variables) settle(text string) string {
	taken := map[string]bool{}
	for _, word := range strings.Fields(keywords) {
		taken[word] = true
	}
	_, main, _ := strings.Cut(text, "\nint main(")
	for _, word := range usedWords(memberAccess().ReplaceAllString(placeholder().ReplaceAllString(main, " "), " ")) {
		taken[word] = true
	}
	names := map[string]string{}
	for _, one := range v.order {
		name := one.spell(taken)
		taken[name] = true
		names[one.key] = name
	}
	parts := strings.Split(text, mark)
	for i := 1; i < len(parts); i += 2 {
		parts[i] = names[parts[i]]
	}
	return strings.Join(parts, "")
}

// spell returns a free identifier that resembles the user's name.
func (one *variable) spell(taken map[string]bool) string {
	name := strings.ReplaceAll(one.stem, "-", "_")
	name = identifierOnly().ReplaceAllString(name, "_")
	for strings.Contains(name, "__") {
		name = strings.ReplaceAll(name, "__", "_")
	}
	if name = strings.TrimLeft(name, "_0123456789"); name == "" {
		name = one.suffix
	}
	if alsoMacros().MatchString(name) {
		name = "the_" + name
	}
	if !taken[name] && !allCaps().MatchString(name) {
		return name
	}
	free := name + "_" + one.suffix
	for i := 2; taken[free]; i++ {
		free = fmt.Sprintf("%s_%s%d", name, one.suffix, i)
	}
	return free
}

var identifierOnly = pattern(`[^A-Za-z0-9_]`)
