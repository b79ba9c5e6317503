package influxagg

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// startInfluxd runs a real influxd on free loopback ports and returns its URL; it skips where there is none.
func startInfluxd(t *testing.T) string {
	t.Helper()
	binary, err := exec.LookPath("influxd")
	if err != nil {
		t.Skip("influxd is not on PATH")
	}
	dir := t.TempDir()
	api, rpc := freeAddress(t), freeAddress(t)
	config := fmt.Sprintf("reporting-disabled=true\nbind-address=%q\n[meta]\ndir=%q\n[data]\ndir=%q\nwal-dir=%q\n"+
		"query-log-enabled=false\n[monitor]\nstore-enabled=false\n[http]\nbind-address=%q\nlog-enabled=false\n",
		rpc, filepath.Join(dir, "meta"), filepath.Join(dir, "data"), filepath.Join(dir, "wal"), api)
	path := filepath.Join(dir, "influxdb.conf")
	require.NoError(t, os.WriteFile(path, []byte(config), 0o600))
	command := exec.Command(binary, "-config", path)
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	target := "http://" + api
	require.Eventually(t, func() bool {
		response, err := http.Get(target + "/ping")
		if err != nil {
			return false
		}
		return response.Body.Close() == nil
	}, 20*time.Second, 50*time.Millisecond)
	return target
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

func TestARealInfluxdHoldsEveryPoint(t *testing.T) {
	target := startInfluxd(t)
	o, stop := startOutput(t, target+"/bench")
	base := time.Now().Add(-time.Minute).Unix()
	for i := range int64(30) {
		feed(o, time.Unix(base+i%10, 0))
		if i%7 == 0 {
			o.flush(base + i%10)
		}
	}
	r := stop()
	require.Empty(t, r.Errors)
	require.Equal(t, r.SamplesSeen, r.SamplesWritten)

	query := url.Values{"db": {"bench"}, "q": {`SELECT sum("count") FROM "op_duration","op_count" WHERE op='set'`}}
	response, err := http.Get(target + "/query?" + query.Encode())
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Results []struct {
			Series []struct {
				Name   string
				Values [][]any
			}
		}
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&answer))
	stored := map[string]int64{}
	for _, series := range answer.Results[0].Series {
		stored[series.Name] = int64(series.Values[0][1].(float64))
	}
	require.Equal(t, map[string]int64{"op_duration": r.SamplesSeen["op_duration"], "op_count": r.SamplesSeen["op_count"]}, stored)
}
