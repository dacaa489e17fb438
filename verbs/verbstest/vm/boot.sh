#!/bin/busybox sh
# /init of the machine's RAM disk: loads the modules, mounts a writable layer over the host's file
# system, with a suite's files in between if there are any, and runs machine.sh in it. qemu offers
# the directories of the host by tags; User-Mode Linux opens them by their paths there, which its
# command line gives as $suite and $share.
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

# attach TAG PATH DIRECTORY [ro]: mounts a directory of the host; one that is read only is also cached.
attach() {
  if [ -n "$share" ]; then
    $b mount -t hostfs -o "${4:+ro,}$2" "$1" "$3"
  else
    $b mount -t 9p -o "trans=virtio,version=9p2000.L,msize=512000${4:+,ro,cache=loose}" "$1" "$3"
  fi
}

$b mount -t tmpfs layer /layer
$b mkdir /layer/upper /layer/work
attach host / /host ro
lower=$($b cat /lower)
[ "$lower" = /host ] || attach suite "$suite" /suite ro
$b mount -t overlay -o lowerdir=$lower,upperdir=/layer/upper,workdir=/layer/work root /new

for dir in proc sys dev; do
  $b mount --move /$dir /new/$dir
done
$b mkdir -p /new/dev/pts /new/dev/shm /new/out /new/run/netns /new/run/rdmatui-vm
$b mount -t devpts devpts /new/dev/pts
$b mount -t tmpfs shm /new/dev/shm
# Hide the host's named namespaces: they are invalid here, and one called "peer" would be a conflict.
$b mount -t tmpfs netns /new/run/netns
attach share "$share" /new/run/rdmatui-vm
$b mount --bind /new/run/rdmatui-vm/out /new/out

exec $b switch_root /new /bin/bash /run/rdmatui-vm/machine.sh
