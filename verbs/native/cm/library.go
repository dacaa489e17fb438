package cm

import (
	"fmt"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/dl"
)

// library holds the functions of librdmacm. Functions that an older release
// lacks are unbound, and calling them returns ErrUnsupported.
type library struct {
	createEventChannel  dl.PointerFunc
	destroyEventChannel dl.ValueFunc
	getCMEvent          dl.StatusFunc
	seekCMEvent         dl.StatusFunc // getCMEvent on the discovery thread
	ackCMEvent          dl.StatusFunc

	createID  dl.StatusFunc
	destroyID dl.StatusFunc
	migrateID dl.StatusFunc

	bindAddr     dl.StatusFunc
	resolveAddr  dl.StatusFunc
	resolveRoute dl.StatusFunc
	listen       dl.StatusFunc
	connect      dl.StatusFunc
	accept       dl.StatusFunc
	reject       dl.StatusFunc
	establish    dl.StatusFunc
	disconnect   dl.StatusFunc
	notify       dl.StatusFunc
	setOption    dl.StatusFunc

	initQPAttr     dl.StatusFunc
	createQP       dl.StatusFunc
	joinMulticast  dl.StatusFunc
	leaveMulticast dl.StatusFunc

	getDevices  dl.PointerFunc
	freeDevices dl.ValueFunc

	getAddrInfo  dl.CountFunc
	freeAddrInfo dl.ValueFunc // bound whenever getAddrInfo is
}

// loadLibrary loads the first available library and binds its functions.
func loadLibrary(discovery *dl.Thread, names ...string) (*library, error) {
	so, err := dl.Open(names...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", verbs.ErrUnsupported, err)
	}
	l := &library{}
	if err := l.bindAll(so, discovery); err != nil {
		_ = so.Close() // report the earlier error
		return nil, fmt.Errorf("%w: %w", verbs.ErrUnsupported, err)
	}
	return l, nil
}

func (l *library) bindAll(so *dl.Library, discovery *dl.Thread) error {
	dl.BindOptional(so, &l.createEventChannel, "rdma_create_event_channel")
	dl.BindOptional(so, &l.getDevices, "rdma_get_devices")
	if free, err := dl.Bind[dl.ValueFunc](so, "rdma_freeaddrinfo"); err == nil {
		l.freeAddrInfo = free
		dl.BindOptional(so, &l.getAddrInfo, "rdma_getaddrinfo")
	}
	for _, f := range []struct {
		to     *dl.StatusFunc
		symbol string
	}{
		{&l.getCMEvent, "rdma_get_cm_event"},
		{&l.ackCMEvent, "rdma_ack_cm_event"},
		{&l.createID, "rdma_create_id"},
		{&l.destroyID, "rdma_destroy_id"},
		{&l.migrateID, "rdma_migrate_id"},
		{&l.bindAddr, "rdma_bind_addr"},
		{&l.resolveAddr, "rdma_resolve_addr"},
		{&l.resolveRoute, "rdma_resolve_route"},
		{&l.listen, "rdma_listen"},
		{&l.connect, "rdma_connect"},
		{&l.accept, "rdma_accept"},
		{&l.reject, "rdma_reject"},
		{&l.establish, "rdma_establish"},
		{&l.disconnect, "rdma_disconnect"},
		{&l.notify, "rdma_notify"},
		{&l.setOption, "rdma_set_option"},
		{&l.initQPAttr, "rdma_init_qp_attr"},
		{&l.createQP, "rdma_create_qp"},
		{&l.joinMulticast, "rdma_join_multicast"},
		{&l.leaveMulticast, "rdma_leave_multicast"},
	} {
		dl.BindOptional(so, f.to, f.symbol)
	}
	l.discover(discovery)

	// These functions cannot report that they are missing. Both are in the first
	// version of the interface.
	var err error
	if l.destroyEventChannel, err = dl.Bind[dl.ValueFunc](so, "rdma_destroy_event_channel"); err != nil {
		return err
	}
	l.freeDevices, err = dl.Bind[dl.ValueFunc](so, "rdma_free_devices")
	return err
}

// discover runs the calls that may find a new device on the thread. rdma_get_cm_event looks for one
// only if an event binds an identifier or is a connection request, and each change of threads would
// cost as much as the event itself.
func (l *library) discover(thread *dl.Thread) {
	l.createEventChannel = l.createEventChannel.On(thread)
	l.getDevices = l.getDevices.On(thread)
	l.seekCMEvent = l.getCMEvent
	for _, f := range []*dl.StatusFunc{&l.createID, &l.bindAddr, &l.listen, &l.seekCMEvent} {
		*f = f.On(thread)
	}
}
