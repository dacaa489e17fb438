package soft

import (
	"testing"

	"rdmatui/verbs/soft/softtest"
)

// What the tests of this package use most of package softtest, by short names.

const (
	cmPort     = softtest.CMPort
	everything = softtest.Everything
	patient    = softtest.Patient
	rawQPN     = softtest.RawQPN
)

type (
	cmSide      = softtest.CMSide
	pairOptions = softtest.PairOptions
	side        = softtest.Side
)

var (
	bringUp     = softtest.BringUp
	closeAtEnd  = softtest.CloseAtEnd
	cmConnect   = softtest.CMConnect
	cmParam     = softtest.CMParam
	cmTalk      = softtest.CMTalk
	connect     = softtest.Connect
	connectTo   = softtest.ConnectTo
	counterOf   = softtest.CounterOf
	fill        = softtest.Fill
	madPacket   = softtest.MadPacket
	newCMSide   = softtest.NewCMSide
	newSide     = softtest.NewSide
	nothingKept = softtest.NothingKept
	ok          = softtest.OK
	pattern     = softtest.Pattern
	rtsAttr     = softtest.RtsAttr
	sge         = softtest.SGE
	soft0       = softtest.Soft0
	soft1       = softtest.Soft1
	wantBytes   = softtest.WantBytes
	wantErr     = softtest.WantErr
)

func must[T any](v T, err error) func(testing.TB) T { return softtest.Must(v, err) }

func second[T any](v T, err error) error { return softtest.Second(v, err) }
