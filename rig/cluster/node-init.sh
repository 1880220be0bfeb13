#!/bin/sh
# PID 1 of a node. Makes the node's own root, so that nothing it writes is the machine's:
# /etc (the node-resolver writes /etc/hosts), /var, /run, /proc, /sys and its cgroups are private, the rest is the machine's.
#
# usage: node-init.sh NAME FOLDER RESOLVER HIERARCHY=OPTIONS... -- VISIBLE...
set -eu
name=$1 folder=$2 resolver=$3
shift 3
root=$folder/root

# still the machine's /proc: the pid as the machine sees it
read -r pid _ < /proc/self/stat
echo "$pid" > "$folder/init.pid"

mkdir -p "$root"
mount --bind "$root" "$root"
for entry in /*; do
  case $entry in
  /proc | /sys | /run) mkdir -p "$root$entry" ;;
  /etc | /var) ;;
  *)
    if [ -L "$entry" ]; then
      [ -L "$root$entry" ] || cp -a "$entry" "$root$entry"
    elif [ -d "$entry" ]; then
      mkdir -p "$root$entry"
      mount --rbind "$entry" "$root$entry"
    fi
    ;;
  esac
done

if [ ! -d "$root/etc" ]; then # the first boot
  cp -a /etc "$root/etc"
  rm -rf "$root/etc/cni" "$root/etc/kubernetes" "$root/etc/resolv.conf"
  printf 'nameserver %s\n' "$resolver" > "$root/etc/resolv.conf"
  printf '127.0.0.1 localhost\n::1 localhost ip6-localhost\n' > "$root/etc/hosts"
  echo "$name" > "$root/etc/hostname"
  mkdir -p "$root/etc/kubernetes/kubelet.conf.d" "$root/etc/kubernetes/manifests" "$root/etc/cni/net.d"
  mkdir -p "$root/var/lib/kubelet" "$root/var/lib/containerd" "$root/var/log/pods" "$root/var/log/containers" "$root/var/tmp"
  ln -s /run "$root/var/run"
fi
mount --bind /var/tmp "$root/var/tmp"

hierarchies=
while [ "$1" != -- ]; do
  hierarchies="$hierarchies $1"
  shift
done
shift
for visible; do
  [ -e "$root$visible" ] || { mkdir -p "$root$visible" && mount --bind "$visible" "$root$visible"; }
done

mkdir -p "$root/.machine"
cd "$root"
pivot_root . .machine
cd /
mount -t proc proc /proc
umount -l /.machine
rmdir /.machine
hostname "$name"
mount -t sysfs sysfs /sys
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/netns /run/lock /run/sysctl /run/pod-files
mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup
for hierarchy in $hierarchies; do
  at=/sys/fs/cgroup/${hierarchy%%=*} options=${hierarchy#*=}
  mkdir "$at"
  if [ "$options" = cgroup2 ]; then mount -t cgroup2 cgroup2 "$at"; else mount -t cgroup -o "$options" cgroup "$at"; fi
done

# a kubelet sets these for the whole machine: it gets files of its own with the values it wants to see
while read -r key value; do
  [ -e "/proc/sys/$key" ] || continue
  private=/run/sysctl/$(basename "$key")
  echo "$value" > "$private"
  mount --bind "$private" "/proc/sys/$key"
done << END
vm/overcommit_memory 1
vm/panic_on_oom 0
kernel/panic 10
kernel/panic_on_oops 1
kernel/keys/root_maxkeys 1000000
kernel/keys/root_maxbytes 25000000
END

mount --make-rshared /
touch "$folder/ready"

# stays, and reaps what loses its parent
trap 'exit 0' TERM
while :; do
  sleep 3600 &
  wait $! || true
done
