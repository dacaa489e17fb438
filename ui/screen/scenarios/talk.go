package scenarios

import (
	"slices"
	"strconv"
	"strings"

	"rdmatui/session/script"
	"rdmatui/session/timeline"
)

// said is a message of a conversation, from this end or from the peer.
type said struct {
	mine bool
	text string
}

// The last messages of a conversation are kept. If more than leastTalk of them fit,
// the line under the cursor is described below.
const (
	keptTalk  = 200
	leastTalk = 4
	lineTold  = 4
)

// hear adds a message that a line of a chat has sent or received.
func (st *status) hear(l *script.Line, done *timeline.CommandDone) {
	verb, _, _ := strings.Cut(l.Text, " ")
	if st.params.Name != "chat" || done.Err != "" || verb != "input" && verb != "read_mem" {
		return
	}
	if text, ok := quotedIn(done.Result); ok {
		kept := st.talk[max(len(st.talk)-keptTalk+1, 0):]
		st.talk = append(slices.Clone(kept), said{verb == "input", text}) // the screen may be drawing the old ones
	}
}

// quotedIn returns the quoted text at the end of a result, without the zeros that pad
// a message.
func quotedIn(result string) (text string, ok bool) {
	at := strings.IndexByte(result, '"')
	if at < 0 {
		return "", false
	}
	quoted, err := strconv.QuotedPrefix(result[at:])
	if err != nil {
		return "", false
	}
	if text, err = strconv.Unquote(quoted); err != nil {
		return "", false
	}
	return strings.TrimRight(text, "\x00"), true
}

// talkRows are the last messages, as many lines as fit.
func (s *Screen) talkRows(r *rows, h int) {
	n := max(h, 0)
	if h >= leastTalk+lineTold {
		n = h - lineTold
	}
	talk := s.st.talk[max(len(s.st.talk)-n, 0):]
	for i := range talk {
		if t := &talk[i]; t.mine {
			r.labelled("you", len("peer"), t.text, s.th.Mine)
		} else {
			r.labelled("peer", len("peer"), t.text, s.th.Theirs)
		}
	}
	r.list = r.list[max(len(r.list)-n, 0):]
}

// asks reports whether a line waits for input.
func asks(l *script.Line) bool { return strings.HasPrefix(l.Text, "input ") }

// detailTitle is the title of the pane about the line under the cursor.
func (s *Screen) detailTitle() string {
	if len(s.st.talk) > 0 {
		return "the conversation"
	}
	return "the line"
}
