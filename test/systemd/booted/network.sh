#!/bin/bash
# Makes the network of a lab in a new network namespace, and runs the command in its arguments. The bridge lab0 stands for the
# provisioning network.
set -eu
ip link set lo up
ip link add lab0 type bridge
# a bridge has a link when one of its ports has one
ip link add port0 type veth peer name machine0
ip link set port0 master lab0 up
ip link set machine0 up
ip addr add 10.77.0.1/24 dev lab0
ip link set lab0 up
exec "$@"
