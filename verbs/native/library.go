package native

import (
	"fmt"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/dl"
)

// library holds the functions of libibverbs. Functions that an older release
// lacks are unbound, and calling them returns ErrUnsupported.
type library struct {
	dl    *dl.Library
	notes notes

	getDeviceList  dl.PointerFunc
	freeDeviceList dl.ValueFunc
	getDeviceGUID  dl.ValueFunc
	openDevice     dl.PointerFunc
	closeDevice    dl.StatusFunc

	queryDevice   dl.ErrnoFunc
	queryPort     dl.ErrnoFunc // the older form
	queryGID      dl.StatusFunc
	queryGIDEx    dl.ErrnoFunc
	queryGIDTable dl.NegErrnoFunc
	queryPKey     dl.StatusFunc

	allocPD     dl.PointerFunc
	deallocPD   dl.ErrnoFunc
	regMR       dl.PointerFunc
	regMRIova2  dl.PointerFunc
	regDMABufMR dl.PointerFunc
	reregMR     dl.CountFunc
	deregMR     dl.ErrnoFunc
	createAH    dl.PointerFunc
	destroyAH   dl.ErrnoFunc

	createCompChannel  dl.PointerFunc
	destroyCompChannel dl.ErrnoFunc
	createCQ           dl.PointerFunc
	resizeCQ           dl.ErrnoFunc
	destroyCQ          dl.ErrnoFunc
	getCQEvent         dl.StatusFunc
	ackCQEvents        dl.ValueFunc

	createQP  dl.PointerFunc
	qpToQPEx  dl.PointerFunc
	modifyQP  dl.ErrnoFunc
	queryQP   dl.ErrnoFunc
	destroyQP dl.ErrnoFunc

	queryQPDataInOrder dl.CountFunc

	attachMcast dl.ErrnoFunc
	detachMcast dl.ErrnoFunc

	createSRQ  dl.PointerFunc
	modifySRQ  dl.ErrnoFunc
	querySRQ   dl.ErrnoFunc
	destroySRQ dl.ErrnoFunc

	getAsyncEvent dl.StatusFunc
	ackAsyncEvent dl.ValueFunc
}

// loadLibrary loads the first available library and binds its functions.
func loadLibrary(names ...string) (*library, error) {
	so, err := dl.Open(names...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", verbs.ErrUnsupported, err)
	}
	l := &library{dl: so}
	if err := l.bindAll(); err != nil {
		_ = so.Close() // report the earlier error
		return nil, fmt.Errorf("%w: %w", verbs.ErrUnsupported, err)
	}
	return l, nil
}

func (l *library) bindAll() error {
	dl.BindOptional(l.dl, &l.getDeviceList, "ibv_get_device_list")
	dl.BindOptional(l.dl, &l.openDevice, "ibv_open_device")
	dl.BindOptional(l.dl, &l.closeDevice, "ibv_close_device")
	dl.BindOptional(l.dl, &l.queryDevice, "ibv_query_device")
	dl.BindOptional(l.dl, &l.queryPort, "ibv_query_port")
	dl.BindOptional(l.dl, &l.queryGID, "ibv_query_gid")
	dl.BindOptional(l.dl, &l.queryGIDEx, "_ibv_query_gid_ex")
	dl.BindOptional(l.dl, &l.queryGIDTable, "_ibv_query_gid_table")
	dl.BindOptional(l.dl, &l.queryPKey, "ibv_query_pkey")
	dl.BindOptional(l.dl, &l.allocPD, "ibv_alloc_pd")
	dl.BindOptional(l.dl, &l.deallocPD, "ibv_dealloc_pd")
	dl.BindOptional(l.dl, &l.regMR, "ibv_reg_mr")
	dl.BindOptional(l.dl, &l.regMRIova2, "ibv_reg_mr_iova2")
	dl.BindOptional(l.dl, &l.regDMABufMR, "ibv_reg_dmabuf_mr")
	dl.BindOptional(l.dl, &l.reregMR, "ibv_rereg_mr")
	dl.BindOptional(l.dl, &l.deregMR, "ibv_dereg_mr")
	dl.BindOptional(l.dl, &l.createAH, "ibv_create_ah")
	dl.BindOptional(l.dl, &l.destroyAH, "ibv_destroy_ah")
	dl.BindOptional(l.dl, &l.createCompChannel, "ibv_create_comp_channel")
	dl.BindOptional(l.dl, &l.destroyCompChannel, "ibv_destroy_comp_channel")
	dl.BindOptional(l.dl, &l.createCQ, "ibv_create_cq")
	dl.BindOptional(l.dl, &l.resizeCQ, "ibv_resize_cq")
	dl.BindOptional(l.dl, &l.destroyCQ, "ibv_destroy_cq")
	dl.BindOptional(l.dl, &l.getCQEvent, "ibv_get_cq_event")
	dl.BindOptional(l.dl, &l.createQP, "ibv_create_qp")
	dl.BindOptional(l.dl, &l.qpToQPEx, "ibv_qp_to_qp_ex")
	dl.BindOptional(l.dl, &l.modifyQP, "ibv_modify_qp")
	dl.BindOptional(l.dl, &l.queryQP, "ibv_query_qp")
	dl.BindOptional(l.dl, &l.destroyQP, "ibv_destroy_qp")
	dl.BindOptional(l.dl, &l.queryQPDataInOrder, "ibv_query_qp_data_in_order")
	dl.BindOptional(l.dl, &l.attachMcast, "ibv_attach_mcast")
	dl.BindOptional(l.dl, &l.detachMcast, "ibv_detach_mcast")
	dl.BindOptional(l.dl, &l.createSRQ, "ibv_create_srq")
	dl.BindOptional(l.dl, &l.modifySRQ, "ibv_modify_srq")
	dl.BindOptional(l.dl, &l.querySRQ, "ibv_query_srq")
	dl.BindOptional(l.dl, &l.destroySRQ, "ibv_destroy_srq")
	dl.BindOptional(l.dl, &l.getAsyncEvent, "ibv_get_async_event")
	l.discover()

	// These functions cannot report that they are missing. All are in the first
	// version of the interface.
	for _, f := range []struct {
		to     *dl.ValueFunc
		symbol string
	}{
		{&l.freeDeviceList, "ibv_free_device_list"},
		{&l.getDeviceGUID, "ibv_get_device_guid"},
		{&l.ackCQEvents, "ibv_ack_cq_events"},
		{&l.ackAsyncEvent, "ibv_ack_async_event"},
	} {
		fn, err := dl.Bind[dl.ValueFunc](l.dl, f.symbol)
		if err != nil {
			return err
		}
		*f.to = fn
	}
	return nil
}
