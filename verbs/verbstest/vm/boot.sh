#!/bin/busybox sh
# /init of the machine's RAM disk: loads the modules, puts a writable layer over the host's file
# system, or over a suite's files that lie over it, and hands over to machine.sh there.
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sysfs /sys
$b mount -t devtmpfs devtmpfs /dev

# In the order of their dependencies. One that the kernel already has is refused, which is fine.
for module in $($b cat /modules/order); do
  params=
  [ "$module" != bonding ] || params=max_bonds=0 # else there would be one that nobody asked for
  $b insmod "/modules/$module.ko" $params 2>/dev/null
done

options=trans=virtio,version=9p2000.L,msize=512000
$b mount -t tmpfs layer /layer
$b mkdir /layer/upper /layer/work
$b mount -t 9p -o $options,ro,cache=loose host /host
lower=$($b cat /lower)
[ "$lower" = /host ] || $b mount -t 9p -o $options,ro,cache=loose suite /suite
$b mount -t overlay -o lowerdir=$lower,upperdir=/layer/upper,workdir=/layer/work root /new

for dir in proc sys dev; do
  $b mount --move /$dir /new/$dir
done
$b mkdir -p /new/dev/pts /new/dev/shm /new/out /new/run/netns /new/run/rdmatui-vm
$b mount -t devpts devpts /new/dev/pts
$b mount -t tmpfs shm /new/dev/shm
# The host's named namespaces mean nothing here, and one called "peer" would be in the way.
$b mount -t tmpfs netns /new/run/netns
$b mount -t 9p -o $options share /new/run/rdmatui-vm
$b mount --bind /new/run/rdmatui-vm/out /new/out

exec $b switch_root /new /bin/bash /run/rdmatui-vm/machine.sh
