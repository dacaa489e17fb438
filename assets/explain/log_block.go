package explain

import (
	"bytes"
	"io"
	"runtime"
	"sync"
)

// Limits of the blocks in which a long log is read.
const (
	blockBytes = 16 * maxLineBytes // a multiple: a line that goes on in the next block is parted there as within one
	maxScans   = 4                 // goroutines that find shapes of lines
	waiting    = 2                 // blocks for each of them, those being scanned included
)

// block is a piece of a log that ends with a line, or lies within a long one.
type block struct {
	text    []byte
	parts   []part
	ends    int      // of lines
	scanned chan any // gets what scanning panicked with, nil for nothing
}

// part is a line with words in it, or a part of a long one.
type part struct {
	from, to int // in the text of the block
	after    int // so many ends of lines
	shape
}

// split takes each line, and each part of a long one.
func (b *block) split(take func(p part)) {
	b.ends = 0
	for from := 0; from < len(b.text); {
		end := bytes.IndexByte(b.text[from:], '\n')
		to := from + end + 1
		if end < 0 {
			to = len(b.text)
		}
		for ; from < to; from = min(from+maxLineBytes, to) {
			take(part{from: from, to: min(from+maxLineBytes, to), after: b.ends})
		}
		if end >= 0 {
			b.ends++
		}
	}
}

// scan finds the parts and their shapes.
func (b *block) scan(s *scanner) {
	b.parts = b.parts[:0]
	b.split(func(p part) {
		if p.shape = s.shapeOf(b.text[p.from:p.to]); p.words > 0 {
			b.parts = append(b.parts, p)
		}
	})
}

// scanBlocks scans blocks until there are no more.
func scanBlocks(blocks <-chan *block, v *vocabulary) {
	var b *block
	defer catch(&b)
	s := newScanner(v)
	for b = range blocks {
		b.scan(s)
		b.scanned <- nil
	}
}

// catch hands a panic to the goroutine that waits for the block, whose callers catch it.
func catch(b **block) {
	if p := recover(); p != nil {
		(*b).scanned <- p
	}
}

// blockReader reads a text in blocks.
type blockReader struct {
	in   io.Reader
	size int    // of a block at most, a multiple of maxLineBytes
	rest []byte // the begin of a line whose end was not read yet
	err  error
}

// next reads a block. The error is io.EOF behind the last one, or that of the text.
func (r *blockReader) next(b *block) error {
	if b.text = append(b.text[:0], r.rest...); cap(b.text) < r.size {
		b.text = append(make([]byte, 0, r.size), r.rest...)
	}
	r.rest = r.rest[:0]
	if r.err == nil {
		var n int
		n, r.err = io.ReadFull(r.in, b.text[len(b.text):r.size])
		b.text = b.text[:len(b.text)+n]
		if r.err == io.ErrUnexpectedEOF {
			r.err = io.EOF
		}
	}
	switch {
	case r.err == io.EOF && len(b.text) > 0:
		return nil
	case r.err != nil:
		return r.err
	}
	if end := bytes.LastIndexByte(b.text, '\n') + 1; end > 0 {
		r.rest = append(r.rest, b.text[end:]...)
		b.text = b.text[:end]
	}
	return nil
}

// scans is how many goroutines find shapes of lines.
func scans() int { return min(runtime.GOMAXPROCS(0), maxScans) }

// read takes each line that has something in it.
func (r *logReader) read(in io.Reader) error {
	blocks, b := &blockReader{in: decoded(in), size: r.blockBytes}, &block{}
	for r.scan == nil || r.scans == 0 {
		switch err := blocks.next(b); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		b.split(func(p part) {
			if p.shape = r.shapeOf(b.text[p.from:p.to]); p.words > 0 {
				r.part(b, p)
			}
		})
		r.end(b)
	}
	return r.readOn(blocks)
}

// readOn takes the lines of the other blocks in their order, while goroutines find the shapes of those that follow.
// No goroutine outlives it.
func (r *logReader) readOn(blocks *blockReader) error {
	var scans sync.WaitGroup
	defer scans.Wait()
	toScan := make(chan *block, r.scans*waiting)
	defer close(toScan)
	for range r.scans {
		scans.Go(func() { scanBlocks(toScan, r.scan.v) })
	}
	var pending []*block // in their order
	for {
		b := &block{scanned: make(chan any, 1)}
		if len(pending) == cap(toScan) {
			b, pending = pending[0], pending[1:]
			r.block(b)
		}
		if err := blocks.next(b); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		toScan <- b
		pending = append(pending, b)
	}
	for _, b := range pending {
		r.block(b)
	}
	return nil
}

// block takes the lines of a block once it is scanned.
func (r *logReader) block(b *block) {
	if p := <-b.scanned; p != nil {
		panic(p)
	}
	for _, p := range b.parts {
		r.part(b, p)
	}
	r.end(b)
}

// part takes a line. What has the shape of a line before it tells nothing new.
func (r *logReader) part(b *block, p part) {
	r.lines = r.ended + p.after + 1
	text := b.text[p.from:p.to]
	r.words(text, p.shape)
	r.last = text
}

// end ends a block, whose text may be overwritten then.
func (r *logReader) end(b *block) {
	r.keep(b.text)
	r.kept = append(r.kept[:0], r.last...)
	r.last = r.kept
	r.ended += b.ends
	if r.lines = r.ended; len(b.text) > 0 && b.text[len(b.text)-1] != '\n' {
		r.lines++
	}
}
