#!/bin/sh
# Script of udhcpc: when the client has got a lease, prints the environment, which holds the lease, one NAME=VALUE a line.
[ "$1" != bound ] || exec env
