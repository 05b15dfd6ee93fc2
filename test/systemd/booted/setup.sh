#!/bin/bash
# Runs inside the booted systemd: sets the host up with `ironic-edge setup`, with everything that can go wrong, and prints what it
# sees.
. /lab/setup-host.sh
# sends the signal $1 as soon as setup has begun $2 changes
disturbed() {
  local signal=$1 count=$2; shift 2
  : >/lab/said
  /opt/ironic-edge/daemon/cli/ironic-edge setup "$@" >/lab/said 2>&1 &
  local pid=$!
  timeout 120 bash -c 'until [ "$(grep -c "\.\.\.$\|^taken back" /lab/said)" -ge "$0" ] || ! kill -0 "$1" 2>/dev/null; do sleep 0.02; done' "$count" "$pid"
  kill "-$signal" "$pid"
  wait "$pid"; status=$?
  cat /lab/said >>/lab/all; echo "== $* -> $status by $signal" >>/lab/all
}

systemctl cat radvd.service nftables.service >/dev/null 2>&1
state >/lab/before

tries $answered --dry-run
echo "dry_run=$status $(says 'subnet = 10.77.0.0/24 range=10.77.0.50-10.77.0.99 interface=lab0')"
tries --interface lab9 --yes
echo "no_interface=$status $(says 'expected one of lab0 (10.77.0.1)')"
tries </dev/null
echo "no_answer=$status $(says 'Give --interface')"
ip link add bare0 type bridge
ip address add 10.78.0.1/24 dev bare0
ip link set bare0 up
tries --interface bare0 --yes --dry-run
echo "no_link=$status $(says 'interface=bare0')"
ip link del bare0

in_machine dnsmasq --conf-file=/dev/null --port=0 --interface=machine0 --bind-interfaces --dhcp-range=10.77.0.200,10.77.0.210 --pid-file=/run/rival
tries $answered
echo "rival=$status $(says 'another DHCP server, 10.77.0.2, answers on lab0')"
tries --interface lab0 --yes --dry-run
echo "rival_proposed=$status $(says 'mode = proxy')"
kill "$(cat /run/rival)"
listen() { /opt/ironic-edge/daemon/cli/node -e "require('net').createServer().listen($1, '10.77.0.1', () => console.log())" >/lab/listens & listener=$!; timeout 60 bash -c 'until [ -s /lab/listens ]; do sleep 0.05; done'; }
listen 8080
tries $answered --dry-run
echo "port_changed=$status $(says 'port = 8081')"
kill $listener; wait $listener
listen 6385
tries $answered
echo "port_taken=$status $(says 'TCP port 6385, which [api] needs, is taken by /opt/ironic-edge')"
kill $listener; wait $listener
mount -t tmpfs -o size=1G small /var/lib/ironic-edge
tries $answered
echo "no_room=$status $(says 'add --ramdisk none')"
umount /var/lib/ironic-edge
echo "untouched=$(state >/lab/now; differ /lab/before /lab/now)"

answered="$answered --ramdisk none"
mv /var/cache/apt/archives /var/cache/apt/away
mkdir -p /var/cache/apt/archives/partial
tries $answered
echo "no_network=$status $(says 'When apt-get can reach its servers, run setup again.')"
rm -rf /var/cache/apt/archives
mv /var/cache/apt/away /var/cache/apt/archives
cp -a /etc/ironic-edge /lab/kept
mount -t tmpfs -o size=8k,mode=750,gid=ironic-edge small /etc/ironic-edge
cp -a /lab/kept/. /etc/ironic-edge
tries $answered
echo "full=$status $(says 'no space left on device') $(cmp /etc/ironic-edge/ironic.conf /lab/kept/ironic.conf && echo whole)"
umount /etc/ironic-edge
rm -rf /lab/kept

printf 'flush ruleset\ntable inet filter {\n  chain input {\n    type filter hook input priority filter; policy drop;\n    iif lo accept\n    ct state established,related accept\n  }\n}\n' >/etc/nftables.conf
nft -f /etc/nftables.conf
setup --undo --yes >>/lab/all 2>&1
systemctl start ironic-edge.service
state >/lab/before

disturbed INT 1 $answered
echo "interrupted=$status"
for _ in 1 2 3 4; do disturbed KILL 2 $answered; killed="${killed:+$killed }$status"; done
echo "killed=$killed"
started=$SECONDS
tries $answered
echo "finished=$status"
echo "seconds=$((SECONDS - started))"
echo "doctor=$(grep '^  probe: ' /lab/said | awk '{print $2}' | sort | tr '\n' ' ')"
active() { systemctl is-active "$@" | sort -u | tr '\n' ' '; systemctl is-enabled "$@" | sort -u | tr '\n' ' '; }
echo "units=$(active ironic-edge.service ironic-edge-dhcp@lab0.socket ironic-edge-tftp@10.77.0.1.socket radvd.service)"
echo "boots=$(in_machine curl -s -o /dev/null -w '%{http_code}' http://10.77.0.1:8080/undionly.kpxe)"
api() { in_machine curl -s -o /dev/null -w '%{http_code}' --cacert /etc/ironic-edge/api.pem -H 'X-OpenStack-Ironic-API-Version: 1.95' "$@"; }
echo "api=$(api https://10.77.0.1:6385/v1/nodes) $(api -u "admin:$(cat /lab/password)" https://10.77.0.1:6385/v1/nodes) $(api -u "admin:$(cat /lab/password)" https://10.77.0.1:6385/v1/images/debian-13)"
echo "router=$(in_machine bash -c "$(declare -f router); router")"
nft -f /etc/nftables.conf
echo "after_reload=$(in_machine curl -s -m 10 -o /dev/null -w '%{http_code}' http://10.77.0.1:8080/undionly.kpxe)"
state >/lab/done
pid=$(systemctl show ironic-edge.service -p MainPID --value)
tries --yes
echo "again=$(says 'Nothing to change.') $(state >/lab/now; differ /lab/done /lab/now) $([ "$pid" = "$(systemctl show ironic-edge.service -p MainPID --value)" ] && echo runs-on)"
tries --yes --range 10.77.0.60-10.77.0.99
echo "changed=$(grep -c '^subnet' /etc/ironic-edge/ironic.conf) $(grep -c 'range=10.77.0.60' /etc/ironic-edge/ironic.conf) $(systemctl is-active ironic-edge.service)"

for count in 1 2 3; do disturbed KILL $count --undo --yes; done
tries --undo --yes
echo "undone=$status $(state >/lab/now; differ /lab/before /lab/now)"
tries --undo --yes
echo "undone_again=$status $(says 'Nothing to take back')"

printf '[Match]\nName=lab0\n[Network]\nAddress=10.77.0.1/24\n' >/etc/systemd/network/50-lab0.network
systemctl start systemd-networkd.service
timeout 60 bash -c 'until networkctl status lab0 2>/dev/null | grep -q 50-lab0.network; do sleep 0.2; done'
state >/lab/before
tries $answered
echo "networkd=$(says 'lets systemd-networkd tell iPXE') $(systemctl is-active radvd.service) $(in_machine bash -c "$(declare -f router); router")"
tries --undo --yes
echo "networkd_undone=$status $(state >/lab/now; differ /lab/before /lab/now)"
echo "networkd_silent=$(in_machine timeout 4 bash -c "$(declare -f router); router")"
systemctl --force --force poweroff
