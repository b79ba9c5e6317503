// Package compat checks that go-redis works against the real server.
package compat

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// server starts the server built from the stack's sources and returns its address.
func server(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("cargo"); err != nil {
		t.Skip("cargo is not on PATH, to build the server")
	}
	port := freePort(t)
	command := exec.Command(build(t), "--port", fmt.Sprint(port))
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	return fmt.Sprintf("127.0.0.1:%d", port)
}

// build returns the path of the server; the results lie beside those of the other Rust builds, outside the checkout.
func build(t *testing.T) string {
	t.Helper()
	target := os.Getenv("CARGO_TARGET_DIR")
	if target == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		target = filepath.Join(cache, "ladderbench", "cargo")
	}
	command := exec.Command("cargo", "build", "--release", "--quiet", "--locked", "--manifest-path", "../server/Cargo.toml")
	command.Env = append(os.Environ(), "CARGO_TARGET_DIR="+target)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("cargo build: %v\n%s", err, output)
	}
	return filepath.Join(target, "release", "quotadb-reference")
}

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port
}

// connect returns a client once the server answers.
func connect(t *testing.T, options *redis.Options) *redis.Client {
	t.Helper()
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() })
	var err error
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if err = client.Ping(t.Context()).Err(); err == nil {
			return client
		}
	}
	t.Fatalf("the server does not answer: %v", err)
	return nil
}

func equal[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestGoRedis(t *testing.T) {
	address := server(t)
	for _, protocol := range []int{2, 3} {
		t.Run(fmt.Sprintf("RESP%d", protocol), func(t *testing.T) {
			client := connect(t, &redis.Options{Addr: address, Protocol: protocol})
			ctx := t.Context()
			equal(t, client.FlushAll(ctx).Val(), "OK")
			commands(t, ctx, client)
			errorsOf(t, ctx, client)
			pipelines(t, ctx, client)
			concurrency(t, ctx, client)
		})
	}
}

func commands(t *testing.T, ctx context.Context, client *redis.Client) {
	t.Helper()
	equal(t, client.Incr(ctx, "n").Val(), 1)
	equal(t, client.IncrBy(ctx, "n", 41).Val(), 42)
	equal(t, client.DecrBy(ctx, "n", 2).Val(), 40)
	equal(t, client.Get(ctx, "n").Val(), "40")
	equal(t, client.Set(ctx, "text", "a b", 0).Val(), "OK")
	values := client.MGet(ctx, "n", "text", "none").Val()
	equal(t, fmt.Sprint(values), "[40 a b <nil>]")
	if err := client.Get(ctx, "none").Err(); !errors.Is(err, redis.Nil) {
		t.Fatalf("a missing key: %v", err)
	}
	equal(t, client.Exists(ctx, "n", "none").Val(), 1)
	equal(t, client.DBSize(ctx).Val(), 2)
	equal(t, client.ConfigGet(ctx, "appendonly").Val()["appendonly"], "no")
	equal(t, client.Del(ctx, "n", "none").Val(), 1)
}

func errorsOf(t *testing.T, ctx context.Context, client *redis.Client) {
	t.Helper()
	client.Set(ctx, "big", "9223372036854775807", 0)
	equal(t, fmt.Sprint(client.Incr(ctx, "big").Err()), "ERR increment or decrement would overflow")
	equal(t, fmt.Sprint(client.Incr(ctx, "text").Err()), "ERR value is not an integer or out of range")
}

func pipelines(t *testing.T, ctx context.Context, client *redis.Client) {
	t.Helper()
	replies, err := client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for range 1000 {
			p.Incr(ctx, "pipelined")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, len(replies), 1000)
	for i, reply := range replies {
		equal(t, reply.(*redis.IntCmd).Val(), int64(i+1))
	}
}

func concurrency(t *testing.T, ctx context.Context, client *redis.Client) {
	t.Helper()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 250 {
				client.Incr(ctx, "shared")
			}
		})
	}
	group.Wait()
	equal(t, client.Get(ctx, "shared").Val(), "2000")
}
