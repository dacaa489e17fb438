package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sessionName is the file with the lines of the session that ended last, a script.
const sessionName = "session"

// maxSessionBytes bounds the file that is read and written.
const maxSessionBytes = 1 << 20

// Session holds the lines of a session that has ended.
type Session struct {
	File  string
	Lines []string
	Cut   bool // the session had more lines after these
}

// KeepLonger lets KeepSession keep no session with fewer than least lines: those that are kept have run only in part.
// 0 lets it keep any.
func (s *Store) KeepLonger(least int) {
	if s != nil {
		s.mu.Lock()
		s.leastLines = least
		s.mu.Unlock()
	}
}

// KeepSession replaces the lines of the session that ended last. A session without lines leaves those that are kept,
// as does one that is shorter than KeepLonger says, and nothing is kept if the history is not.
func (s *Store) KeepSession(lines []string, cut bool) error {
	if s == nil || len(lines) == 0 || s.Choice("history") == "0" {
		return nil
	}
	s.mu.Lock()
	least := s.leastLines
	s.mu.Unlock()
	if len(lines) < least {
		return nil
	}
	text := fmt.Sprintf("# rdmatui session: %d lines", len(lines))
	if cut {
		text += ", cut"
	}
	text += "\n" + strings.Join(lines, "\n") + "\n"
	return s.update(sessionName, func(string) ([]byte, error) {
		if len(text) > maxSessionBytes {
			return nil, tooLong()
		}
		return []byte(text), nil
	})
}

func tooLong() error { return fmt.Errorf("it is longer than %d bytes", maxSessionBytes) }

// sessionHead is the first line of the file.
var sessionHead = regexp.MustCompile(`^# rdmatui session: (\d{1,6}) lines(, cut)?$`)

// LastSession reads the lines of the session that ended last. It fails if none is kept, and if anything in the file
// is not as KeepSession writes it; check says what is wrong with a line.
func LastSession(f Folders, check func(string) error) (*Session, error) {
	file := path(f.State, sessionName)
	if file == "" {
		return nil, errors.New("no session is kept: neither XDG_STATE_HOME nor HOME names a folder")
	}
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("no session is kept: there is no %s", file)
	}
	text, whole, err := read(file, maxSessionBytes)
	if err == nil && !whole {
		err = problem(file, tooLong())
	}
	if err != nil {
		return nil, err
	}
	if !bytes.HasSuffix(text, []byte("\n")) {
		return nil, problem(file, errors.New("it is no session of rdmatui, or its end is missing"))
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	head := sessionHead.FindStringSubmatch(lines[0])
	if head == nil {
		return nil, &Problem{File: file, Line: 1, Err: errors.New("it is no session of rdmatui")}
	}
	lines = lines[1:]
	if n, _ := strconv.Atoi(head[1]); n != len(lines) {
		return nil, problem(file, fmt.Errorf("it should have %d lines and has %d", n, len(lines)))
	}
	for i, l := range lines {
		err := check(l)
		if len(l) > maxHistoryLine || l == "" || l[0] == '#' || !utf8.ValidString(l) ||
			strings.ContainsFunc(l, unicode.IsControl) {
			err = errors.New("a session has no such line")
		}
		if err != nil {
			return nil, &Problem{File: file, Line: i + 2, Err: err}
		}
	}
	return &Session{File: file, Lines: lines, Cut: head[2] != ""}, nil
}
