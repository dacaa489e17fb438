//go:build !linux

package dl

import "errors"

func mapPages(int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapPages([]byte) error { return errors.ErrUnsupported }
