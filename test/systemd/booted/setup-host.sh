#!/bin/bash
# Sourced by the scripts that set a booted host up with `ironic-edge setup`: what they call, a host with the daemon, and the machine
# beyond the bridge lab0. The packages are in apt's cache, and there is no network but that of the bridge.
export HOME=/root DEBIAN_FRONTEND=noninteractive
. /lab/state.sh
cli=/opt/ironic-edge/daemon/cli
setup() { "$cli/ironic-edge" setup "$@"; }
# the number of lines in which two states differ
differ() { diff "$1" "$2" >>/lab/all; diff "$1" "$2" | grep -c '^[<>]'; }
says() { grep -cF -- "$1" /lab/said; }
tries() { setup "$@" >/lab/said 2>&1; status=$?; cat /lab/said >>/lab/all; echo "== $* -> $status" >>/lab/all; }
# asks for an IPv6 router each second, as iPXE does several times, and prints the lifetime of the router that answers
router() {
  perl -e 'use Socket qw(:all); socket(my $s, AF_INET6, SOCK_RAW, 58) or die; setsockopt($s, 41, 18, pack("i", 255)); setsockopt($s, 1, 25, "machine0\0"); setsockopt($s, 1, 20, pack("q2", 1, 0));
    my $routers = pack_sockaddr_in6(0, inet_pton(AF_INET6, "ff02::2"), `cat /sys/class/net/machine0/ifindex` + 0);
    for (1 .. 15) { send($s, pack("CCnN", 133, 0, 0, 0), 0, $routers); while (defined recv($s, my $packet, 1500, 0)) { next if ord($packet) != 134; print unpack("x6 n", $packet); exit } }'
}
in_machine() { ip netns exec machine "$@"; }
answered='--interface lab0 --dhcp own --range 10.77.0.50-10.77.0.99 --image debian-13 --password-file /lab/password --yes'

echo 'correct horse battery' >/lab/password
systemd-sysusers
systemd-tmpfiles --create
systemctl start dbus.socket dbus.service
systemctl enable --quiet ironic-edge.service
systemctl start ironic-edge.service
ip netns add machine
ip link set machine0 netns machine
in_machine ip address add 10.77.0.2/24 dev machine0
in_machine ip link set machine0 up
