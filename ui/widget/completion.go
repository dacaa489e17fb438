package widget

// Candidate is one way to complete a text: Text replaces the bytes from offset
// From up to offset To, or up to the cursor where that is further. Help says what
// it is.
type Candidate struct {
	Text     string
	Help     string
	From, To int
}

// Completer lists candidates for a text with the cursor at a byte offset.
type Completer func(text string, cursor int) []Candidate

// Cycle walks through candidates: the first step takes one into the input, the
// next ones exchange it.
type Cycle struct {
	List []Candidate
	At   int // the candidate in the input; -1: none yet
}

// Set lists candidates and forgets which one was taken.
func (c *Cycle) Set(list []Candidate) { c.List, c.At = list, -1 }

// Step takes the next (1) or previous (-1) candidate into the input.
func (c *Cycle) Step(in *Input, dir int) bool {
	n := len(c.List)
	if n == 0 {
		return false
	}
	taken := c.At >= 0
	if !taken && dir < 0 {
		c.At = 0
	}
	c.At = ((c.At+dir)%n + n) % n
	to := c.List[c.At].To
	if taken {
		to = in.Cursor() // the end of the one that this one takes the place of
	}
	in.Replace(c.List[c.At].From, to, c.List[c.At].Text)
	return true
}

// Window returns the first of at most rows candidates to show.
func (c *Cycle) Window(rows int) int {
	return min(max(c.At-rows/2, 0), max(len(c.List)-rows, 0))
}
