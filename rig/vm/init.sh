#!/bin/busybox sh
# The initrd's program: the machine's files, of which the guest changes a copy in memory, and VM_SHARE, which both write.
# The kernel's command line becomes the environment.
export PATH=/bin
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t devtmpfs dev /dev
for module in $($b cat /modules/order); do $b insmod "/modules/$module"; done
p9=trans=virtio,version=9p2000.L,msize=512000
$b mount -t 9p -o "$p9,cache=loose,ro" machine /lower || $b poweroff -f
$b mount -t tmpfs upper /upper
$b mkdir /upper/changes /upper/work
$b mount -t overlay -o lowerdir=/lower,upperdir=/upper/changes,workdir=/upper/work root /root || $b poweroff -f
$b mount -t proc proc /root/proc
$b mount -t sysfs sys /root/sys
$b mount -t cgroup2 cgroup /root/sys/fs/cgroup
$b mount -t devtmpfs dev /root/dev
$b mkdir -p /root/dev/pts /root/dev/shm
$b mount -t devpts pts /root/dev/pts
$b mount -t tmpfs shm /root/dev/shm
$b mount -t tmpfs run /root/run
$b mount -t 9p -o "$p9" share "/root$VM_SHARE" || $b poweroff -f
$b mkdir -p /root/lib/modules
$b mount -o bind "/root$VM_KERNEL/lib/modules" /root/lib/modules
exec $b chroot /root /bin/sh "$VM_SHARE/guest.sh"
