#!/bin/bash
# Runs inside the booted systemd: sets the host up behind ufw and then behind firewalld, and prints what a machine reaches.
. /lab/setup-host.sh
# what a machine gets: an address by DHCP, a boot loader by TFTP and by HTTP, and the API
reaches() { echo "$(lease) $(gets tftp://10.77.0.1/undionly.kpxe) $(gets http://10.77.0.1:8080/undionly.kpxe) $(gets -k https://10.77.0.1:6385/v1)"; }
lease() { in_machine busybox udhcpc -i machine0 -fnq -t 4 -T 2 -s /bin/true >>/lab/all 2>&1 && echo got || echo none; }
gets() { in_machine curl -sf -m 5 -o /dev/null "$@" && echo got || echo none; }
main_pid() { systemctl show ironic-edge.service -p MainPID --value; }
# makes the machine one that the daemon knows, and so gives an address to; the undo keeps it
known() {
  export OS_ENDPOINT=https://10.77.0.1:6385 OS_CACERT=/etc/ironic-edge/api.pem OS_AUTH_TYPE=http_basic OS_USERNAME=admin OS_PASSWORD
  OS_PASSWORD=$(cat /lab/password)
  "$cli/ironic-edge" node show machine || {
    node=$("$cli/ironic-edge" node create driver=ipmi name=machine) &&
      "$cli/ironic-edge" port create "node_uuid=$node" "address=$(in_machine cat /sys/class/net/machine0/address)"
  }
} >>/lab/all 2>&1
# files that apt, systemd and firewalld write for themselves, and accounts that Debian keeps
left() { sed -E '/ \/etc\/(passwd|shadow|\.updated|firewalld\/.*\.old)( |$)|^\/etc\/(\.updated|firewalld\/.*\.old) /d' "$1" >"$1.left"; }
# sets the host up behind the firewall $1, of which the command in the other arguments reads the rules again
behind() {
  local name=$1 pid; shift
  "$@" >>/lab/all 2>&1
  state >/lab/before
  in_machine dnsmasq --conf-file=/dev/null --port=0 --interface=machine0 --bind-interfaces --dhcp-range=10.77.0.200,10.77.0.210 --pid-file=/run/rival
  tries $answered --ramdisk none
  echo "${name}_rival=$status $(says 'another DHCP server, 10.77.0.2, answers on lab0')"
  kill "$(cat /run/rival)"
  tries $answered --ramdisk none --firewall no
  known
  echo "${name}_closed=$(reaches)"
  pid=$(main_pid)
  tries --yes
  echo "${name}_open=$(says "opens the ports in $name ...") $(reaches)"
  echo "${name}_daemon=$([ "$pid" = "$(main_pid)" ] && echo runs-on)"
  echo "${name}_router=$(in_machine bash -c "$(declare -f router); router")"
  "$@" >>/lab/all 2>&1
  echo "${name}_read_again=$(reaches)"
  tries --yes
  echo "${name}_again=$(says 'Nothing to change.')"
  tries --undo --yes
  state >/lab/now
  left /lab/before; left /lab/now
  echo "${name}_undone=$status $(differ /lab/before.left /lab/now.left)"
}

ufw --force enable >>/lab/all 2>&1
behind ufw ufw reload
ufw disable >>/lab/all 2>&1

systemctl start firewalld.service
# the administrator's own, which must stay
for when in --permanent ''; do firewall-cmd $when --add-port=69/udp >>/lab/all 2>&1; done
behind firewalld firewall-cmd --reload
systemctl --force --force poweroff
