package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/cadvisor/container"
	info "github.com/google/cadvisor/info/v1"
	v2 "github.com/google/cadvisor/info/v2"
	"github.com/google/cadvisor/storage"
)

func TestTheVersionIsTheOneInGoMod(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(mod), "github.com/google/cadvisor "+libraryVersion+"\n") {
		t.Errorf("go.mod does not require %s", libraryVersion)
	}
}

func stats() *info.ContainerStats {
	s := &info.ContainerStats{Timestamp: time.Unix(1_700_000_000, 5)}
	s.Cpu.Usage.Total, s.Cpu.Usage.PerCpu = 12, []uint64{7, 5}
	s.Memory.RSS, s.Network.RxBytes, s.Network.TxBytes = 4096, 10, 20
	s.Filesystem = []info.FsStats{{Device: "/dev/a b", Usage: 3, Limit: 9}}
	return s
}

func lines(s *info.ContainerStats) []string {
	var text []byte
	for _, p := range pointsOf(s) {
		text = appendLine(text, p, "run-1-1", "host", s.Timestamp)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func TestOneLineForEachMeasurementOfUpstreamsDriver(t *testing.T) {
	got := map[string]bool{}
	for _, line := range lines(stats()) {
		got[line] = true
	}
	for _, want := range []string{
		"cpu_usage_total,container_name=run-1-1,machine=host value=12i 1700000000000000005",
		"cpu_usage_per_cpu,container_name=run-1-1,instance=1,machine=host value=5i 1700000000000000005",
		"memory_rss,container_name=run-1-1,machine=host value=4096i 1700000000000000005",
		"rx_bytes,container_name=run-1-1,machine=host value=10i 1700000000000000005",
		"tx_bytes,container_name=run-1-1,machine=host value=20i 1700000000000000005",
		"memory_failure,container_name=run-1-1,failure_type=pgfault,machine=host,scope=hierarchical value=0i 1700000000000000005",
		`fs_usage,container_name=run-1-1,device=/dev/a\ b,machine=host,type=usage value=3i 1700000000000000005`,
	} {
		if !got[want] {
			t.Errorf("missing line: %s", want)
		}
	}
}

func TestAContainerIsCalledWhatDockerCallsIt(t *testing.T) {
	named := info.ContainerReference{Name: "/docker/0123", Aliases: []string{"run-1-1", "0123"}}
	if got := nameOf(named); got != "run-1-1" {
		t.Errorf("name of a container: %s", got)
	}
	if got := nameOf(info.ContainerReference{Name: "/plain"}); got != "/plain" {
		t.Errorf("name of a control group: %s", got)
	}
}

// driverTo returns a driver that writes to the server, and puts the library's flags back at the end.
func driverTo(t *testing.T, server *httptest.Server) *influxDB {
	t.Helper()
	host, period := *storage.ArgDbHost, *storage.ArgDbBufferDuration
	*storage.ArgDbHost, *storage.ArgDbBufferDuration = strings.TrimPrefix(server.URL, "http://"), time.Hour
	t.Cleanup(func() { *storage.ArgDbHost, *storage.ArgDbBufferDuration = host, period })
	return newInfluxDB("host", "short")
}

func TestWhatIsGatheredIsWrittenAtTheEndAtTheLatest(t *testing.T) {
	var body atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		body.Store(r.URL.RequestURI() + "\n" + string(text))
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	d := driverTo(t, server)
	for range 2 {
		if err := d.AddStats(&info.ContainerInfo{ContainerReference: info.ContainerReference{Name: "/plain"}}, stats()); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	text, _ := body.Load().(string)
	if !strings.HasPrefix(text, "/write?db=cadvisor&precision=ns&rp=short\n") {
		t.Errorf("address: %.60q", text)
	}
	if n := strings.Count(text, "cpu_usage_total,container_name=/plain,"); n != 2 {
		t.Errorf("%d readings written, want 2", n)
	}
}

func TestARefusalIsAnErrorAndNotRetried(t *testing.T) {
	var writes atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writes.Add(1)
		http.Error(w, "database not found", http.StatusNotFound)
	}))
	defer server.Close()
	d := driverTo(t, server)
	_ = d.AddStats(&info.ContainerInfo{}, stats())
	if err := d.Close(); err == nil || !strings.Contains(err.Error(), "database not found") {
		t.Errorf("error: %v", err)
	}
	if writes.Load() != 1 {
		t.Errorf("%d writes", writes.Load())
	}
}

func TestUpstreamsFlagsAreTaken(t *testing.T) {
	flags := flag.NewFlagSet("cadvisor", flag.ContinueOnError)
	s := declare(flags)
	if err := flags.Parse([]string{
		"-listen_ip=127.0.0.1", "-port=8081", "-storage_driver=influxdb", "-store_container_labels=false",
		"-disable_metrics=percpu,disk", "-raw_cgroup_prefix_whitelist=/a,/b",
	}); err != nil {
		t.Fatal(err)
	}
	if _, off := s.disabled[container.PerCpuUsageMetrics]; !off || s.port != 8081 {
		t.Errorf("%+v", s)
	}
	s.drivers = "kafka"
	if _, err := s.backends(); err == nil {
		t.Error("an unknown driver is taken")
	}
}

func TestHealthAnswersUntilTheEnd(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	listener := httptest.NewServer(nil)
	address := strings.TrimPrefix(listener.URL, "http://")
	listener.Close()
	seen := func(name string, options v2.RequestOptions) (map[string]v2.ContainerSpec, error) {
		if name != "/" || options.IdType != v2.TypeDocker || !options.Recursive {
			return nil, errors.New("asked for something else")
		}
		return map[string]v2.ContainerSpec{"/docker/1": {Aliases: []string{"a-influxdb-1"}}}, nil
	}
	go func() { ended <- serve(ctx, address, seen) }()
	var status int
	for range 100 {
		if response, err := http.Get("http://" + address + "/healthz"); err == nil {
			status = response.StatusCode
			_ = response.Body.Close()
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	var names []byte
	if response, err := http.Get("http://" + address + "/api/v2.0/spec/?type=docker&recursive=true"); err == nil {
		names, _ = io.ReadAll(response.Body)
		_ = response.Body.Close()
	}
	if !strings.Contains(string(names), `"a-influxdb-1"`) {
		t.Errorf("the containers that it sees: %s", names)
	}
	stop()
	if err := <-ended; err != nil || status != http.StatusOK {
		t.Errorf("status %d, then %v", status, err)
	}
}
