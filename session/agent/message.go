// Package agent lets another rdmatui look at this host and use a session here, over a pair of streams such as those of
// ssh: the far end of 'rdmatui pair'. It opens no port, reads and writes no file, runs no program, and ends with the
// streams.
//
// Both directions carry JSON-RPC 2.0, one message per line. The agent speaks first: a notification "hello" with its
// protocol and version. Then it answers requests, one at a time. The file method.go lists the methods. encoding/json
// with a limit on lines serves: the framers of the JSON-RPC libraries for Go read a line of any length.
package agent

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Protocol is the version of the messages. Ends with different ones do not talk.
const Protocol = 1

// maxLine bounds a message in bytes, with its newline: the facts of a device with a full GID table take 100 KB.
const maxLine = 1 << 20

// rpcVersion stands in every message.
const rpcVersion = "2.0"

// helloMethod is the agent's first message.
const helloMethod = "hello"

// Hello says what an agent is.
type Hello struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"` // of rdmatui: "1.2.3"
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// message is a request, a notification or an answer.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      *uint64         `json:"id,omitempty"` // nil in a notification
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Error is the answer to a request that failed.
type Error struct {
	Code    int    `json:"code"` // JSON-RPC 2.0, section 5.1
	Message string `json:"message"`
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Codes of errors.
const (
	codeParse   = -32700
	codeInvalid = -32600
	codeMethod  = -32601
	codeParams  = -32602
	codeFailed  = -32000 // the method failed; the message says why
)

// errLong is the error for a line that exceeds maxLine.
var errLong = fmt.Errorf("a message is longer than %d KiB", maxLine>>10)

// lines reads messages. It keeps at most maxLine bytes.
type lines struct{ r *bufio.Reader }

func newLines(r io.Reader) lines { return lines{bufio.NewReaderSize(r, maxLine)} }

// next returns the next line without its newline. The bytes are valid until the next call.
func (l lines) next() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, errLong
	case errors.Is(err, io.EOF) && len(line) > 0:
		return nil, io.ErrUnexpectedEOF
	case err != nil:
		return nil, err
	}
	return line[:len(line)-1], nil
}

// send writes one message.
func send(w io.Writer, m message) error {
	m.JSONRPC = rpcVersion
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(b) >= maxLine {
		return errLong
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// parse reads a message and checks what every message must have.
func parse(line []byte) (message, error) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		return m, fmt.Errorf("not a message: %w", err)
	}
	if m.JSONRPC != rpcVersion {
		return m, errors.New("not a message of JSON-RPC 2.0")
	}
	return m, nil
}
