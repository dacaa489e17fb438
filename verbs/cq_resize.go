package verbs

// CQResizer is implemented by completion queues whose size can change.
type CQResizer interface {
	// Resize gives the queue cqe entries at least and keeps what is in it;
	// ibv_resize_cq(3). CQE tells how many it has then. It fails with EINVAL below 1,
	// beyond max_cqe, and where more completions wait than would fit. An error that
	// matches ErrUnsupported means that library or driver have no such call. Of a
	// failed call the queue stays as it was.
	Resize(cqe int) error
}
