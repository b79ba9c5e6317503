#!/bin/sh
exec /usr/bin/cadvisor -logtostderr "$@"
