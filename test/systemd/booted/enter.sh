#!/bin/bash
# Boots the systemd of the tree $1, with the folder $2 mounted at $3. Must be started in new mount, PID, UTS, IPC
# and cgroup namespaces.
set -eu
root=$1
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs run "$root/run"
mount -t tmpfs tmp "$root/tmp"
mount -t sysfs sys "$root/sys"
mount -t cgroup2 none "$root/sys/fs/cgroup"
mount --bind /dev "$root/dev"
mount -t tmpfs shm "$root/dev/shm"
mount --bind "$2" "$root$3"
exec chroot "$root" env -i container=lab PATH=/usr/sbin:/usr/bin /lib/systemd/systemd --log-target=console --unit=lab.target
