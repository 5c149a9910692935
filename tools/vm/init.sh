#!/bin/busybox sh
# First program of the machine: the files of the one around it below a layer of memory, then systemd.
b=/bin/busybox
$b mount -t devtmpfs dev /dev
for module in /modules/*.ko; do $b insmod "$module"; done
$b mount -t hostfs -o / host /lower
$b mount -t tmpfs -o mode=755 memory /upper
$b mkdir /upper/files /upper/work
$b mount -t overlay -o lowerdir=/lower,upperdir=/upper/files,workdir=/upper/work root /root
for folder in tmp var/tmp run; do $b mount -t tmpfs -o mode=1777 memory "/root/$folder"; done
# Nothing of the outer machine's services starts, and systemd must not take this for a container.
$b mount -t tmpfs units /root/etc/systemd/system
$b cp /units/* /root/etc/systemd/system/
$b rm -f /root/.dockerenv
$b mount --move /dev /root/dev
exec $b env -i $b switch_root /root /lib/systemd/systemd --unit=envyard.target --show-status=0 --log-level=err
