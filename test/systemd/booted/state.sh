#!/bin/bash
# what there is of files, units, packages and rules; without the copies that programs make of other files
state() {
  { find /etc -xdev ! -type d ! -name '*.cache' ! -name '*-' -printf '%p %m %u %g %l\n' | sort
    find /etc -xdev -type f ! -name '*.cache' ! -name '*-' -exec sha256sum {} + | sort -k 2
    dpkg-query -W | sort
    systemctl list-unit-files --no-legend 'ironic-edge*' 'radvd*' | awk '{print $1, $2}'
    systemctl list-units --no-legend --plain --state=active 'ironic-edge*' 'radvd*' | awk '{print $1}'
    nft -s list ruleset; } 2>&1
}
