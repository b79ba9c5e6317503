// Command cadvisor reads the resource use of containers with cAdvisor's own library and writes it to InfluxDB 1.x.
//
// It stands in for the upstream image where no registry answers: same library at the same version, same flags (those
// that the Compose file uses, and the library's own), same measurements. It has neither web pages nor a Prometheus
// endpoint.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/cadvisor/cache/memory"
	"github.com/google/cadvisor/container"
	_ "github.com/google/cadvisor/container/docker/install" // the raw factory comes with the manager
	v2 "github.com/google/cadvisor/info/v2"
	"github.com/google/cadvisor/manager"
	"github.com/google/cadvisor/storage"
	"github.com/google/cadvisor/utils/sysfs"
	"k8s.io/klog/v2"
)

// libraryVersion is that of github.com/google/cadvisor in go.mod; a test holds the two together.
const libraryVersion = "v0.57.0"

// settings are the flags that upstream's command has beside those of its library.
type settings struct {
	listenIP        string
	port            int
	drivers         string
	keepInMemory    time.Duration
	retentionPolicy string
	rawPrefixes     string
	disabled        container.MetricSet
	enabled         container.MetricSet
	version         bool
}

// declare adds upstream's flags, with upstream's defaults.
func declare(flags *flag.FlagSet) *settings {
	s := &settings{
		enabled: container.MetricSet{},
		disabled: container.MetricSet{
			container.MemoryNumaMetrics: {}, container.NetworkTcpUsageMetrics: {},
			container.NetworkUdpUsageMetrics: {}, container.NetworkAdvancedTcpUsageMetrics: {},
			container.ProcessSchedulerMetrics: {}, container.ProcessMetrics: {},
			container.HugetlbUsageMetrics: {}, container.ReferencedMemoryMetrics: {},
			container.CPUTopologyMetrics: {}, container.ResctrlMetrics: {}, container.CPUSetMetrics: {},
		},
	}
	flags.StringVar(&s.listenIP, "listen_ip", "", "address to listen on; empty means all")
	flags.IntVar(&s.port, "port", 8080, "port of /healthz and of the containers' names")
	flags.StringVar(&s.drivers, "storage_driver", "", "where figures go: influxdb, or nowhere when empty")
	flags.DurationVar(&s.keepInMemory, "storage_duration", 2*time.Minute, "how long figures stay in memory")
	flags.StringVar(&s.retentionPolicy, "storage_driver_influxdb_retention_policy", "", "retention policy")
	flags.StringVar(&s.rawPrefixes, "raw_cgroup_prefix_whitelist", "", "control groups to read even with -docker_only, by prefix, separated by commas")
	flags.Var(&s.disabled, "disable_metrics", "`metrics` to leave out, separated by commas")
	flags.Var(&s.enabled, "enable_metrics", "`metrics` to read; overrides -disable_metrics")
	flags.BoolVar(&s.version, "version", false, "print the version and exit")
	flags.Bool("store_container_labels", true, "taken for compatibility: labels never reach InfluxDB")
	return s
}

func main() {
	klog.InitFlags(nil)
	s := declare(flag.CommandLine)
	flag.Parse()
	if s.version {
		fmt.Printf("cAdvisor library %s, built by ladderbench\n", libraryVersion)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, s); err != nil {
		fmt.Fprintln(os.Stderr, "cadvisor:", err)
		os.Exit(1)
	}
}

// run reads and writes until the context ends.
func run(ctx context.Context, s *settings) error {
	backends, err := s.backends()
	if err != nil {
		return err
	}
	included := s.enabled
	if len(included) == 0 {
		included = container.AllMetrics.Difference(s.disabled)
	}
	m, err := manager.New(memory.New(s.keepInMemory, backends), sysfs.NewRealSysFs(), manager.HousekeepingConfigFlags,
		included, http.DefaultClient, strings.Split(s.rawPrefixes, ","), nil, "", 0)
	if err != nil {
		return fmt.Errorf("manager: %w", err)
	}
	if err := m.Start(); err != nil {
		return fmt.Errorf("manager: %w", err)
	}
	err = serve(ctx, net.JoinHostPort(s.listenIP, strconv.Itoa(s.port)), m.GetContainerSpec)
	err = errors.Join(err, m.Stop())
	for _, b := range backends {
		err = errors.Join(err, b.Close())
	}
	return err
}

// backends returns the storage drivers that -storage_driver names.
func (s *settings) backends() ([]storage.StorageDriver, error) {
	var all []storage.StorageDriver
	for name := range strings.SplitSeq(s.drivers, ",") {
		switch name {
		case "":
		case "influxdb":
			machine, err := os.Hostname()
			if err != nil {
				return nil, err
			}
			all = append(all, newInfluxDB(machine, s.retentionPolicy))
		default:
			return nil, fmt.Errorf("-storage_driver %q: only influxdb is built in", name)
		}
	}
	return all, nil
}

// serve answers, until the context ends, /healthz and what upstream answers when it is asked for all containers of Docker.
func serve(ctx context.Context, address string, specs func(string, v2.RequestOptions) (map[string]v2.ContainerSpec, error)) error {
	mux := http.NewServeMux()
	mux.HandleFunc("/api/v2.0/spec/", func(w http.ResponseWriter, _ *http.Request) {
		found, err := specs("/", v2.RequestOptions{IdType: v2.TypeDocker, Recursive: true})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_ = json.NewEncoder(w).Encode(found)
	})
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	server := &http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
