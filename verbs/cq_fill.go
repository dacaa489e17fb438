package verbs

// FillTeller is implemented by completion queues that can tell how full they are.
// No call of libibverbs does.
type FillTeller interface {
	// Fill returns how many entries hold a completion that was not polled yet, and
	// how many did at most since the queue was made.
	Fill() (now, peak int)
}
