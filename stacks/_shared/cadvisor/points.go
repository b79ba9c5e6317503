package main

import (
	"sort"
	"strconv"
	"strings"
	"time"

	info "github.com/google/cadvisor/info/v1"
)

// point is one measurement of one container. Its only field is the integer `value`.
type point struct {
	name  string
	value int64
	tags  map[string]string // beside machine and container_name
}

// pointsOf returns what cAdvisor's InfluxDB driver of v0.57.0 writes for the metrics that a local bench turns on: no disk
// I/O, no throttling and no labels, because that driver has none. Counters are cumulative; CPU is in nanoseconds.
func pointsOf(stats *info.ContainerStats) []point {
	cpu, memory, network := stats.Cpu, stats.Memory, stats.Network
	points := []point{
		{name: "cpu_usage_total", value: int64(cpu.Usage.Total)},
		{name: "cpu_usage_system", value: int64(cpu.Usage.System)},
		{name: "cpu_usage_user", value: int64(cpu.Usage.User)},
		{name: "load_average", value: int64(cpu.LoadAverage)},
		{name: "rx_bytes", value: int64(network.RxBytes)},
		{name: "rx_errors", value: int64(network.RxErrors)},
		{name: "tx_bytes", value: int64(network.TxBytes)},
		{name: "tx_errors", value: int64(network.TxErrors)},
		{name: "referenced_memory", value: int64(stats.ReferencedMemory)},
		{name: "memory_usage", value: int64(memory.Usage)},
		{name: "memory_max_usage", value: int64(memory.MaxUsage)},
		{name: "memory_cache", value: int64(memory.Cache)},
		{name: "memory_rss", value: int64(memory.RSS)},
		{name: "memory_swap", value: int64(memory.Swap)},
		{name: "memory_mapped_file", value: int64(memory.MappedFile)},
		{name: "memory_working_set", value: int64(memory.WorkingSet)},
		{name: "memory_total_active_file", value: int64(memory.TotalActiveFile)},
		{name: "memory_total_inactive_file", value: int64(memory.TotalInactiveFile)},
		{name: "memory_failcnt", value: int64(memory.Failcnt)},
		memoryFailure("container", "pgfault", memory.ContainerData.Pgfault),
		memoryFailure("container", "pgmajfault", memory.ContainerData.Pgmajfault),
		memoryFailure("hierarchical", "pgfault", memory.HierarchicalData.Pgfault),
		memoryFailure("hierarchical", "pgmajfault", memory.HierarchicalData.Pgmajfault),
	}
	for i, used := range cpu.Usage.PerCpu {
		points = append(points, point{"cpu_usage_per_cpu", int64(used), map[string]string{"instance": strconv.Itoa(i)}})
	}
	for _, fs := range stats.Filesystem {
		points = append(points,
			point{"fs_usage", int64(fs.Usage), map[string]string{"device": fs.Device, "type": "usage"}},
			point{"fs_limit", int64(fs.Limit), map[string]string{"device": fs.Device, "type": "limit"}})
	}
	return points
}

func memoryFailure(scope, kind string, n uint64) point {
	return point{"memory_failure", int64(n), map[string]string{"scope": scope, "failure_type": kind}}
}

// nameOf is the tag container_name: Docker's name of the container, or the path of a plain control group.
func nameOf(ref info.ContainerReference) string {
	if len(ref.Aliases) > 0 {
		return ref.Aliases[0]
	}
	return ref.Name
}

var escaper = strings.NewReplacer(",", `\,`, "=", `\=`, " ", `\ `)

// appendLine appends the point in InfluxDB's line protocol, with its newline.
func appendLine(dst []byte, p point, container, machine string, at time.Time) []byte {
	tags := map[string]string{"container_name": container, "machine": machine}
	for name, value := range p.tags {
		tags[name] = value
	}
	names := make([]string, 0, len(tags))
	for name, value := range tags {
		if value != "" { // InfluxDB takes no empty tag
			names = append(names, name)
		}
	}
	sort.Strings(names)
	dst = append(dst, p.name...)
	for _, name := range names {
		dst = append(dst, ',')
		dst = append(dst, name...)
		dst = append(dst, '=')
		dst = append(dst, escaper.Replace(tags[name])...)
	}
	dst = append(dst, " value="...)
	dst = strconv.AppendInt(dst, p.value, 10)
	dst = append(dst, "i "...)
	dst = strconv.AppendInt(dst, at.UnixNano(), 10)
	return append(dst, '\n')
}
