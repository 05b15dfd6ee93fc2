#!/bin/sh
# What a DHCP client was given, as udhcpc tells its script: one NAME=VALUE a line.
[ "$1" != bound ] || exec env
