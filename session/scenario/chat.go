package scenario

import "rdmatui/session/command/syntax"

// The wire format of a chat: every message has one size and is text with a zero
// at its end. The server answers each with chatAnswer and what it got, cut to the
// size. A client that has said chatEnd disconnects.
const (
	chatAnswer = "server get "
	chatEnd    = "disconnect"
)

// chatSaid is what a client says where nobody is there to ask.
var chatSaid = []string{"hello", "how are you?", chatEnd}

// ChatWord is a message of a client, for the template.
type ChatWord struct {
	Text string // with zeros up to the size of a message, quoted
	Last bool   // it ends the conversation
}

// Words are the messages of a client that says what it was told beforehand.
func (p Params) Words() []ChatWord {
	words := make([]ChatWord, len(p.Messages))
	for i, m := range p.Messages {
		words[i] = ChatWord{p.padded(m), m == chatEnd}
	}
	return words
}

// padded is a message with zeros up to the size, quoted.
func (p Params) padded(text string) string {
	b := make([]byte, p.Size)
	copy(b, text)
	return syntax.Quote(string(b))
}

// ChatAnswer is what a server's answer begins with, with zeros up to the size.
func (p Params) ChatAnswer() string { return p.padded(chatAnswer) }

// ChatEcho is where in an answer the message stands that it answers.
func (p Params) ChatEcho() int { return len(chatAnswer) }

// ChatEnd is how the end of a conversation stands in an answer, which may have no
// room for all of it.
func (p Params) ChatEnd() string {
	return syntax.Quote((chatEnd + "\x00")[:min(len(chatEnd)+1, p.Size-len(chatAnswer))])
}
