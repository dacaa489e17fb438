package scenario

import "rdmatui/session/command/syntax"

// The wire format of a chat: messages have a fixed size and are zero-terminated text.
// The server answers each with chatAnswer and the message, cut to the size. A client
// disconnects after chatEnd.
const (
	chatAnswer = "server get "
	chatEnd    = "disconnect"
)

// chatSaid is what a client says if there is nobody to ask.
var chatSaid = []string{"hello", "how are you?", chatEnd}

// ChatWord is a message of a client, for the template.
type ChatWord struct {
	Text string // with zeros up to the size of a message, quoted
	Last bool   // it ends the conversation
}

// Words returns the messages of a client with a prepared text.
func (p Params) Words() []ChatWord {
	words := make([]ChatWord, len(p.Messages))
	for i, m := range p.Messages {
		words[i] = ChatWord{p.padded(m), m == chatEnd}
	}
	return words
}

// padded returns a message padded with zeros to the size, quoted.
func (p Params) padded(text string) string {
	b := make([]byte, p.Size)
	copy(b, text)
	return syntax.Quote(string(b))
}

// ChatAnswer returns the prefix of a server's answer, padded with zeros to the size.
func (p Params) ChatAnswer() string { return p.padded(chatAnswer) }

// ChatEcho returns the offset of the original message in an answer.
func (p Params) ChatEcho() int { return len(chatAnswer) }

// ChatEnd returns how chatEnd appears in an answer, which may be too short for all of
// it.
func (p Params) ChatEnd() string {
	return syntax.Quote((chatEnd + "\x00")[:min(len(chatEnd)+1, p.Size-len(chatAnswer))])
}
