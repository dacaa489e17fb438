package native

import (
	"context"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/failure"
)

// GetAsyncEvent implements verbs.Device.
func (d *device) GetAsyncEvent(ctx context.Context) (verbs.AsyncEvent, error) {
	if d.async == nil {
		return verbs.AsyncEvent{}, failure.Of("ibv_get_async_event", d.info.Name, d.asyncErr)
	}
	var event verbs.AsyncEvent
	err := d.async.Wait(ctx, func() (err error) {
		event, err = d.takeAsyncEvent()
		return err
	})
	return event, failure.OfWait("ibv_get_async_event", d.info.Name, err)
}

// takeAsyncEvent reads one event, finds its object and acknowledges it, all
// before anything can be closed.
func (d *device) takeAsyncEvent() (verbs.AsyncEvent, error) {
	if err := d.use(); err != nil {
		return verbs.AsyncEvent{}, err
	}
	defer d.done()
	raw := new(abi.AsyncEvent)
	if _, err := d.lib.getAsyncEvent.Call(d.ctx, uintptr(unsafe.Pointer(raw))); err != nil {
		return verbs.AsyncEvent{}, err
	}
	event := d.asyncEvent(raw)
	d.lib.ackAsyncEvent.Call(uintptr(unsafe.Pointer(raw)))
	return event, nil
}

// asyncEvent converts an event; it follows only pointers to live objects.
func (d *device) asyncEvent(raw *abi.AsyncEvent) verbs.AsyncEvent {
	event := verbs.AsyncEvent{Type: verbs.EventType(raw.EventType)}
	switch event.Type.Element() {
	case verbs.ElementPort:
		event.PortNum = uint8(raw.PortNum())
	case verbs.ElementQP:
		if qp, ok := d.live.find(raw.Element).(*queuePair); ok {
			event.QP = qp
		}
	case verbs.ElementCQ:
		if cq, ok := d.live.find(raw.Element).(*completionQueue); ok {
			event.CQ = cq
		}
	case verbs.ElementSRQ:
		if srq, ok := d.live.find(raw.Element).(*sharedReceiveQueue); ok {
			event.SRQ = srq
		}
	}
	return event
}
