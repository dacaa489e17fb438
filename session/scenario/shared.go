package scenario

// The methods below are for the template of the scenario with several queue pairs
// on one shared receive queue.

// QueuePairs numbers them.
func (p Params) QueuePairs() []int { return upTo(p.QPs) }

// SharedCompletions is how many their queue must hold.
func (p Params) SharedCompletions() int { return p.RXDepth + p.QPs }

// SlotsRoom is the message to send and room for one more for each RECV.
func (p Params) SlotsRoom() int { return p.Size * (1 + p.RXDepth) }

// upTo counts from 1 to n.
func upTo(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i + 1
	}
	return numbers
}
