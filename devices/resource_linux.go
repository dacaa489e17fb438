package devices

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// Resources asks the kernel's RDMA netlink family who uses a device. It omits kinds of
// objects that the kernel is too old to track.
func (h *host) Resources(device string) (Resources, error) {
	r, err := readResources(device, h.ask)
	r.nameProcesses(h)
	return r, err
}

// readResources asks for the totals and for the objects of each kind.
func readResources(device string, ask asker) (Resources, error) {
	r := Resources{Totals: map[string]uint64{}, Limits: map[string]uint64{}, Users: []User{}, QPs: []QPUse{},
		CMIDs: []CMIDUse{}, MRs: []MRUse{}}
	index, err := ask.deviceIndex(device)
	if err != nil {
		return r, err
	}
	of := nl.NewRtAttr(nldevDevIndex, nl.Uint32Attr(index))
	summary, err := ask(nl.RDMA_NLDEV_CMD_RES_GET, 0, of)
	if err != nil {
		return r, fmt.Errorf("rdma resource: %w", err)
	}
	for _, m := range summary {
		r.summarize(m)
	}
	return r, r.collect(func(kind resourceKind) ([][]byte, error) { return ask(kind.cmd, unix.NLM_F_DUMP, of) })
}

// collect reads the objects of each kind from the messages that list returns.
func (r *Resources) collect(list func(resourceKind) ([][]byte, error)) error {
	owners := tally{}
	for _, kind := range resourceKinds {
		messages, err := list(kind)
		if notTracked(err) {
			continue
		}
		if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
			return fmt.Errorf("rdma resource %s: %w", kind.name, err)
		}
		for _, m := range messages {
			for entry := range kind.entries(m) {
				owners.add(entryOwner(entry), kind.name)
				r.keep(kind.name, entry)
			}
		}
	}
	r.Users = owners.users()
	return nil
}

// notTracked reports whether the kernel is too old to track a kind of object.
func notTracked(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOENT)
}
