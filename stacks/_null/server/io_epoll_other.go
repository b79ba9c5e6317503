//go:build !linux

package main

import "errors"

func startEpoll(*env, []endpoint) (engine, error) {
	return nil, errors.New("--io: epoll needs Linux")
}
