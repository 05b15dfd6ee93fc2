#!/bin/bash
# Runs inside the booted systemd: starts the sockets, lets a request start the daemon, kills the daemon, and prints what it finds.
systemd-sysusers
systemd-tmpfiles --create
systemctl start ironic-edge-dhcp@lab0.socket ironic-edge-proxydhcp@lab0.socket \
  ironic-edge-tftp@10.77.0.1.socket ironic-edge-boot-http@10.77.0.1.socket
echo "before=$(systemctl is-active ironic-edge.service)"
answer() { curl -sS -m 60 -o /dev/null -w '%{http_code}' http://10.77.0.1/not-served; }
echo "answer=$(answer)"
pid=$(systemctl show ironic-edge.service -p MainPID --value)
echo "user=$(stat -c %U "/proc/$pid")"
sed -n 's/^\(Cap...\):\t/\1=/p' "/proc/$pid/status"
tr '\0' '\n' <"/proc/$pid/environ" | grep '^LISTEN_FDNAMES='
# the daemon binds the socket to the interface, without any privilege
bound() { ss -Hlnu sport = "$1" | grep -o '%lab0'; }
timeout 60 bash -c 'until ss -Hlnu sport = 67 | grep -q %lab0 && ss -Hlnu sport = 4011 | grep -q %lab0; do sleep 0.2; done'
echo "device=$(bound 67) $(bound 4011) "
read -r plugin _ <"/proc/$pid/task/$pid/children"
echo "plugin_policy=$(cut -d ' ' -f 41 "/proc/$plugin/stat")"
plugin_limits="/proc/$plugin/limits"
sed -n "s/^Max data size *\([0-9]*\) .*/plugin_bytes=\1/p" "$plugin_limits"
kill -9 "$pid"
echo "answer_after_kill=$(answer)"
timeout 60 sh -c 'until systemctl is-active --quiet ironic-edge.service; do sleep 0.2; done'
echo "ready=$(systemctl show ironic-edge.service -p Type,SubState --value | tr "\n" " ")"
echo "restarts=$(systemctl show ironic-edge.service -p NRestarts --value)"
systemctl stop 'ironic-edge-*.socket' ironic-edge.service
echo "stopped=$(systemctl show ironic-edge.service -p Result --value)"
systemctl --force --force poweroff
