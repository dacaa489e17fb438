#!/bin/busybox sh
# /init of the machine's RAM disk: loads the modules, mounts a writable layer over the host's file
# system, with a suite's files in between if there are any, and runs machine.sh in it.
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sysfs /sys
$b mount -t devtmpfs devtmpfs /dev

# Load the modules in the order of their dependencies. Modules built into the kernel fail, which is ignored.
for module in $($b cat /modules/order); do
  params=
  [ "$module" != bonding ] || params=max_bonds=0 # by default the module creates one
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
# Hide the host's named namespaces: they are invalid here, and one called "peer" would be a conflict.
$b mount -t tmpfs netns /new/run/netns
$b mount -t 9p -o $options share /new/run/rdmatui-vm
$b mount --bind /new/run/rdmatui-vm/out /new/out

exec $b switch_root /new /bin/bash /run/rdmatui-vm/machine.sh
