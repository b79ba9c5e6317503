package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	info "github.com/google/cadvisor/info/v1"
	"github.com/google/cadvisor/storage"
	"k8s.io/klog/v2"
)

const (
	writeTimeout = 5 * time.Second
	// maxBuffered is how much is kept while InfluxDB does not answer; beyond it all of it is dropped.
	maxBuffered = 16 << 20
)

// influxDB is a storage driver that gathers lines and writes them once in each buffer duration, in the background: the
// library calls AddStats from the loops that read the containers, and those must not wait.
type influxDB struct {
	machine string
	target  string
	user    *url.Userinfo
	http    http.Client

	mu    sync.Mutex
	lines []byte

	stop, done chan struct{}
}

var _ storage.StorageDriver = (*influxDB)(nil)

// newInfluxDB reads the library's -storage_driver_* flags.
func newInfluxDB(machine, retentionPolicy string) *influxDB {
	query := url.Values{"db": {*storage.ArgDbName}, "precision": {"ns"}}
	if retentionPolicy != "" {
		query.Set("rp", retentionPolicy)
	}
	target := url.URL{Scheme: "http", Host: *storage.ArgDbHost, Path: "/write", RawQuery: query.Encode()}
	if *storage.ArgDbIsSecure {
		target.Scheme = "https"
	}
	d := &influxDB{
		machine: machine, target: target.String(), user: url.UserPassword(*storage.ArgDbUsername, *storage.ArgDbPassword),
		http: http.Client{Timeout: writeTimeout}, stop: make(chan struct{}), done: make(chan struct{}),
	}
	go d.writeEvery(*storage.ArgDbBufferDuration)
	return d
}

// AddStats takes one reading of one container. It never fails: what cannot be written is dropped and logged.
func (d *influxDB) AddStats(container *info.ContainerInfo, stats *info.ContainerStats) error {
	if stats == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.lines) > maxBuffered {
		d.lines = d.lines[:0]
	}
	name := nameOf(container.ContainerReference)
	for _, p := range pointsOf(stats) {
		d.lines = appendLine(d.lines, p, name, d.machine, stats.Timestamp)
	}
	return nil
}

// Close writes what is left.
func (d *influxDB) Close() error {
	close(d.stop)
	<-d.done
	return d.flush()
}

func (d *influxDB) writeEvery(period time.Duration) {
	defer close(d.done)
	ticker := time.NewTicker(max(period, 100*time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-d.stop:
			return
		case <-ticker.C:
			if err := d.flush(); err != nil {
				klog.Error(err)
			}
		}
	}
}

// flush writes the gathered lines; a batch that InfluxDB did not take is gone.
func (d *influxDB) flush() error {
	d.mu.Lock()
	lines := d.lines
	d.lines = nil
	d.mu.Unlock()
	if len(lines) == 0 {
		return nil
	}
	request, err := http.NewRequest(http.MethodPost, d.target, bytes.NewReader(lines))
	if err != nil {
		return err
	}
	password, _ := d.user.Password()
	request.SetBasicAuth(d.user.Username(), password)
	response, err := d.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 4096))
	if err == nil && response.StatusCode >= 300 {
		err = fmt.Errorf("InfluxDB refused: %s: %s", response.Status, answer)
	}
	return err
}
