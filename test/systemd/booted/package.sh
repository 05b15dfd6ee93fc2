#!/bin/bash
# Runs inside the booted systemd. Does with the packages in /packages what an administrator does: installs, inspects a simulated
# machine, upgrades, removes and purges; and prints what it sees.
export DEBIAN_FRONTEND=noninteractive
deb() { ls /packages/ironic-edge_"$1"_*.deb; }
# the release that was built; the others are made from it
base=$(ls -v /packages/*.deb | head -n 1)
apt_install() { apt-get install -qq --no-install-recommends -o Dpkg::Options::=--force-confold "$@" >/lab/apt 2>&1; }
main_pid() { systemctl show ironic-edge.service -p MainPID --value; }
release() { basename "$(readlink /usr/lib/ironic-edge/current)" | cut -d. -f1-3; }
node() { curl -sS --retry 20 --retry-connrefused --retry-delay 1 -m 20 -H 'X-OpenStack-Ironic-API-Version: 1.95' -H 'Content-Type: application/json' "http://127.0.0.1:6385/v1/nodes$1" "${@:2}"; }
state() { node /rack-001 | grep -o '"provision_state":"[^"]*"' | cut -d'"' -f4; }
reach() { timeout 60 bash -c 'until [ "$(state)" = "$1" ]; do sleep 0.2; done' - "$1" || echo "not $1 but $(state)"; }
export -f node state
provision() { node /rack-001/states/provision -X PUT -d "{\"target\":\"$1\"}"; }

started=$SECONDS
apt_install "$base" || cat /lab/apt
echo "fresh=$(systemctl is-active ironic-edge.service) $(systemctl is-enabled ironic-edge.service)"
echo "configuration=$(stat -c '%a %U %G' /etc/ironic-edge/ironic.conf)"
sed -i 's/^# enabled_hardware_types = .*/enabled_hardware_types = simulated/' /etc/ironic-edge/ironic.conf
printf '[agent]\ncallback_networks = 127.0.0.0/8\n' >>/etc/ironic-edge/ironic.conf
systemctl restart ironic-edge.service
node '' >/lab/started
HOME=/root ironic-edge rack 1 >/lab/rack 2>&1 &
reach enroll
provision manage && reach manageable
provision inspect && reach 'inspect wait' && reach manageable
node /rack-001/inventory | grep -q '"memory"' && echo "inspected_seconds=$((SECONDS - started))"
kill %1

first=$(main_pid)
apt_install "$(deb 99.2.0)" || cat /lab/apt
echo "upgraded=$(release) $(systemctl is-active ironic-edge.service) $([ "$first" = "$(main_pid)" ] || echo restarted)"
echo "edited_kept=$(grep -c '^enabled_hardware_types = simulated' /etc/ironic-edge/ironic.conf) $(ls -m /etc/ironic-edge | tr -d ,)"
echo "edited_doctor=$(ironic-edge doctor | grep -c 'the package brought /etc/ironic-edge/ironic.conf.dpkg-dist')"
echo "backups=$(ls /var/lib/ironic-edge/backups | wc -l)"
echo "releases=$(ls /usr/lib/ironic-edge/releases | wc -l)"

second=$(main_pid)
apt_install "$(deb 99.3.0)"
echo "refused_status=$?"
cp /lab/apt /lab/refused
echo "refused_says=$(grep -c 'no such table: of_the_future' /lab/apt) $(grep -c 'When that is corrected, run: /usr/lib/ironic-edge/activate' /lab/apt)"
echo "refused_runs=$(release) $([ "$second" = "$(main_pid)" ] && echo undisturbed) $(state)"
systemctl restart ironic-edge.service
echo "refused_restarted=$(release) $(state)"
echo "doctor=$(ironic-edge doctor | grep -c of_the_future)"
echo 'SELECT 1;' >"$(ls /usr/lib/ironic-edge/dist/daemon/db/migrations/*-future.sql | tail -1)"
/usr/lib/ironic-edge/activate
echo "corrected=$(release) $(state)"

apt_install "$(deb 99.4.0)"
echo "unstartable_status=$?"
echo "unstartable_says=$(grep -c 'ironic-edge 99.4.0 does not start' /lab/apt)"
echo "unstartable_runs=$(release) $(systemctl is-active ironic-edge.service) $(state)"
echo "unstartable_doctor=$(ironic-edge doctor | grep -c '99.4.0 does not start')"

apt_install --allow-downgrades "$base"
echo "downgrade_status=$?"
echo "downgrade_says=$(grep -c 'ironic-edge restore BACKUP' /lab/apt)"
echo "downgrade_runs=$(release) $(state)"

apt-get remove -qq ironic-edge >/dev/null 2>&1
echo "removed=$(systemctl is-active ironic-edge.service) $([ -e /usr/lib/ironic-edge ] && echo program-left)$([ -e /var/lib/ironic-edge/ironic-edge.sqlite ] && echo database-kept)"
apt_install "$(deb 99.3.0)" || cat /lab/apt
echo "reinstalled=$(systemctl is-active ironic-edge.service) $(state)"
apt-get purge -qq ironic-edge >/dev/null 2>&1
find /etc /usr /var -name '*ironic*' ! -path '*/ironic-edge.service.d*' -o -name optsdir.d -o -name hostsdir.d >/lab/left
echo "left=$(tr '\n' ' ' </lab/left)"
systemctl --force --force poweroff
