package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The file system under test is this program as a process of its own: the tests' binary runs it.
func TestMain(m *testing.M) {
	if os.Getenv("POWER_LOSS_MAIN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// missing says why nothing can be mounted here.
func missing() string {
	file, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		return err.Error()
	}
	file.Close()
	_, noHelper := exec.LookPath("fusermount3")
	_, noOldHelper := exec.LookPath("fusermount")
	if os.Geteuid() != 0 && noHelper != nil && noOldHelper != nil {
		return "neither root nor fusermount3 is here"
	}
	return ""
}

type disk struct {
	t              *testing.T
	args           []string
	backing, mount string
	command        *exec.Cmd
	output         *bufio.Reader
	errors         bytes.Buffer
}

func newDisk(t *testing.T, args ...string) *disk {
	t.Helper()
	if why := missing(); why != "" {
		t.Skip(why)
	}
	d := &disk{t: t, args: args, backing: t.TempDir(), mount: t.TempDir()}
	t.Cleanup(func() {
		if d.command != nil {
			d.command.Process.Kill()
			d.command.Wait()
		}
		exec.Command("umount", "-l", d.mount).Run()
	})
	return d
}

func (d *disk) on() *disk {
	d.t.Helper()
	d.command = exec.Command(os.Args[0], append(d.args, d.backing, d.mount)...)
	d.command.Env = append(os.Environ(), "POWER_LOSS_MAIN=1")
	d.command.Stderr = &d.errors
	out, err := d.command.StdoutPipe()
	must(d.t, err)
	must(d.t, d.command.Start())
	d.output = bufio.NewReader(out)
	if line, err := d.output.ReadString('\n'); line != "mounted\n" {
		d.t.Fatalf("%q %v %s", line, err, d.errors.String())
	}
	return d
}

// off ends the file system by a signal, and says what it said.
func (d *disk) off(signal syscall.Signal) string {
	d.t.Helper()
	must(d.t, d.command.Process.Signal(signal))
	line, _ := d.output.ReadString('\n')
	if err := d.command.Wait(); err != nil {
		d.t.Fatalf("%v: %s", err, d.errors.String())
	}
	d.command = nil
	mounts, err := os.ReadFile("/proc/self/mounts")
	must(d.t, err)
	if strings.Contains(string(mounts), d.mount) {
		d.t.Fatal("still mounted")
	}
	return line
}

// lose is a loss of power, after which the disk is there again.
func (d *disk) lose() Loss {
	d.t.Helper()
	var loss Loss
	must(d.t, json.Unmarshal([]byte(d.off(syscall.SIGUSR1)), &loss))
	d.on()
	return loss
}

func (d *disk) path(name string) string { return filepath.Join(d.mount, name) }

func (d *disk) open(name string, flags int) *os.File {
	d.t.Helper()
	file, err := os.OpenFile(d.path(name), flags, 0o644)
	must(d.t, err)
	d.t.Cleanup(func() { file.Close() })
	return file
}

func (d *disk) write(name, text string) *os.File {
	d.t.Helper()
	file := d.open(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	_, err := file.WriteString(text)
	must(d.t, err)
	return file
}

func (d *disk) synced(name, text string) *os.File {
	d.t.Helper()
	file := d.write(name, text)
	must(d.t, file.Sync())
	return file
}

func (d *disk) syncFolder(name string) {
	d.t.Helper()
	folder, err := os.Open(d.path(name))
	must(d.t, err)
	defer folder.Close()
	must(d.t, folder.Sync())
}

// holds checks a file's content through the mount; "-" stands for no such file.
func (d *disk) holds(name, want string) {
	d.t.Helper()
	got, err := os.ReadFile(d.path(name))
	if os.IsNotExist(err) {
		got, err = []byte("-"), nil
	}
	must(d.t, err)
	if string(got) != want {
		d.t.Errorf("%s: %.60q (%d bytes), want %.60q (%d bytes)", name, got, len(got), want, len(want))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestSyncedSurvivesAndUnsyncedGoes(t *testing.T) {
	d := newDisk(t).on()
	d.synced("synced", "kept")
	d.write("closed", "gone").Close()
	d.write("empty", "gone, its name is not")
	d.syncFolder(".")
	d.write("later", "gone")
	d.holds("closed", "gone")
	loss := d.lose()
	d.holds("synced", "kept")
	d.holds("closed", "")
	d.holds("empty", "")
	d.holds("later", "-")
	if loss.Changes != 1 || loss.Files != 3 || loss.Bytes != 4+21+4 || len(loss.Torn) != 0 {
		t.Errorf("%+v", loss)
	}
}

func TestWhatFollowsASyncGoes(t *testing.T) {
	d := newDisk(t).on()
	long := strings.Repeat("0123456789abcdef", 1000)
	file := d.synced("log", long)
	_, err := file.WriteString(" appended")
	must(t, err)
	_, err = file.WriteAt([]byte("XX"), 5000)
	must(t, err)
	d.holds("log", long[:5000]+"XX"+long[5002:]+" appended")
	d.lose()
	d.holds("log", long)

	file = d.open("log", os.O_RDWR)
	must(t, file.Truncate(4100))
	must(t, file.Truncate(4104))
	d.holds("log", long[:4100]+"\x00\x00\x00\x00")
	d.lose()
	d.holds("log", long)
	file = d.open("log", os.O_RDWR)
	must(t, file.Truncate(4100))
	must(t, file.Truncate(4104))
	must(t, file.Sync())
	d.lose()
	d.holds("log", long[:4100]+"\x00\x00\x00\x00")
	d.write("log", "new, and not synced")
	d.lose()
	d.holds("log", long[:4100]+"\x00\x00\x00\x00")
}

func TestEachWayToSync(t *testing.T) {
	for name, write := range map[string]func(d *disk){
		"fdatasync": func(d *disk) { must(t, syscall.Fdatasync(int(d.write("f", "kept").Fd()))) },
		"O_SYNC": func(d *disk) {
			_, err := d.open("f", os.O_RDWR|os.O_CREATE|os.O_SYNC).WriteString("kept")
			must(t, err)
		},
		"O_DSYNC": func(d *disk) {
			_, err := d.open("f", os.O_RDWR|os.O_CREATE|syscall.O_DSYNC).WriteString("kept")
			must(t, err)
		},
		"msync": func(d *disk) {
			file := d.synced("f", "....")
			memory, err := syscall.Mmap(int(file.Fd()), 0, 4, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
			must(t, err)
			copy(memory, "kept")
			must(t, msync(memory))
			copy(memory, "gone")
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDisk(t).on()
			write(d)
			d.lose()
			d.holds("f", "kept")
		})
	}
}

func TestMemoryMappedIsLostWithoutMsync(t *testing.T) {
	d := newDisk(t).on()
	file := d.synced("f", "kept")
	memory, err := syscall.Mmap(int(file.Fd()), 0, 4, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	must(t, err)
	copy(memory, "gone")
	must(t, syscall.Munmap(memory))
	file.Close()
	d.lose()
	d.holds("f", "kept")
}

func TestRenameIsDurableByAnySyncOfWhatItTouches(t *testing.T) {
	for name, c := range map[string]struct {
		sync          func(d *disk, file *os.File)
		before, after string
	}{
		"no sync":         {func(*disk, *os.File) {}, "new", "old"},
		"of another file": {func(d *disk, _ *os.File) { must(t, d.open("other", os.O_RDWR).Sync()) }, "new", "old"},
		"of the folder":   {func(d *disk, _ *os.File) { d.syncFolder(".") }, "-", "new"},
		"of the file":     {func(_ *disk, file *os.File) { must(t, file.Sync()) }, "-", "new"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDisk(t).on()
			d.synced("other", "x")
			d.synced("current", "old")
			file := d.synced("next", "new")
			must(t, os.Rename(d.path("next"), d.path("current")))
			d.holds("current", "new")
			d.holds("next", "-")
			c.sync(d, file)
			d.lose()
			d.holds("next", c.before)
			d.holds("current", c.after)
		})
	}
}

func TestFoldersAndRemovals(t *testing.T) {
	d := newDisk(t).on()
	must(t, os.MkdirAll(d.path("a/b"), 0o700))
	d.synced("a/b/f", "kept: its folders come with it")
	must(t, os.Mkdir(d.path("lost"), 0o700))
	d.lose()
	d.holds("a/b/f", "kept: its folders come with it")
	d.holds("lost", "-")
	info, err := os.Stat(d.path("a/b"))
	must(t, err)
	if info.Mode() != os.ModeDir|0o700 {
		t.Error(info.Mode())
	}

	must(t, os.Symlink("f", d.path("a/b/link")))
	must(t, os.Rename(d.path("a"), d.path("c")))
	d.syncFolder("c/b")
	if err := os.Remove(d.path("c/b")); err == nil {
		t.Error("a folder that is not empty was removed")
	}
	d.lose()
	d.holds("a/b/link", "kept: its folders come with it")

	file := d.open("a/b/f", os.O_RDWR)
	must(t, os.Remove(d.path("a/b/f")))
	d.holds("a/b/f", "-")
	d.lose()
	d.holds("a/b/f", "kept: its folders come with it")

	file = d.open("a/b/f", os.O_RDWR)
	must(t, os.Remove(d.path("a/b/f")))
	d.syncFolder("a/b")
	text := make([]byte, 4)
	_, err = file.ReadAt(text, 0)
	if must(t, err); string(text) != "kept" {
		t.Errorf("who has it open reads %q", text)
	}
	d.lose()
	d.holds("a/b/f", "-")
}

func TestTornPage(t *testing.T) {
	const size = 3 * pageSize
	d := newDisk(t, "-torn").on()
	d.synced("log", strings.Repeat("a", size))
	d.synced("short", "aaaa")
	file := d.open("log", os.O_RDWR)
	_, err := file.WriteAt(bytes.Repeat([]byte("b"), 2*pageSize), pageSize)
	must(t, err)
	_, err = d.open("short", os.O_RDWR|os.O_APPEND).WriteString("bbbb")
	must(t, err)
	loss := d.lose()
	d.holds("log", strings.Repeat("a", pageSize)+strings.Repeat("b", pageSize/2)+strings.Repeat("a", pageSize+pageSize/2))
	d.holds("short", "aaaabb")
	if len(loss.Torn) != 2 {
		t.Errorf("%+v", loss)
	}
}

func TestAnOrderlyEndKeepsAll(t *testing.T) {
	d := newDisk(t).on()
	must(t, os.Mkdir(d.path("a"), 0o755))
	d.write("a/f", "kept")
	d.off(syscall.SIGTERM)
	d.on()
	d.holds("a/f", "kept")
}

// A record is acknowledged once it is synced: what has the number of the last acknowledged one, and no more, is there.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	d := newDisk(t).on()
	file := d.write("log", "")
	want := ""
	for i := range 300 {
		line := fmt.Sprintf("record %d\n", i)
		_, err := file.WriteString(line)
		must(t, err)
		if i%7 == 0 && i < 295 {
			must(t, file.Sync())
			want = ""
			for k := range i + 1 {
				want += fmt.Sprintf("record %d\n", k)
			}
		}
	}
	d.lose()
	d.holds("log", want)
}

func TestWrongArguments(t *testing.T) {
	folder := t.TempDir()
	for _, args := range [][]string{{}, {folder}, {folder, folder}, {folder, filepath.Join(folder, "none")}, {filepath.Join(folder, "none"), folder}} {
		command := exec.Command(os.Args[0], args...)
		command.Env = append(os.Environ(), "POWER_LOSS_MAIN=1")
		out, err := command.CombinedOutput()
		if err == nil || len(out) == 0 || bytes.Contains(out, []byte("goroutine 1 [")) {
			t.Errorf("%v: %v %s", args, err, out)
		}
	}
}

func TestFullDiskLetsNothingGrowAndTakesWhatLiesWithin(t *testing.T) {
	d := newDisk(t).on()
	file := d.open("data", os.O_CREATE|os.O_RDWR)
	defer file.Close()
	_, err := file.WriteString("0123456789")
	must(t, err)
	d.fillOrFree(true)
	if _, err := file.WriteString("more"); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("a file grew on a full disk: %v", err)
	}
	if err := file.Truncate(100); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("a file was made longer on a full disk: %v", err)
	}
	if err := syscall.Fallocate(int(file.Fd()), 0, 0, 100); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("room was reserved on a full disk: %v", err)
	}
	for what, err := range map[string]error{
		"file":   os.WriteFile(d.path("new"), nil, 0o644),
		"folder": os.Mkdir(d.path("folder"), 0o755),
		"link":   os.Symlink("data", d.path("link")),
	} {
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("a %s was made on a full disk: %v", what, err)
		}
	}
	_, err = file.WriteAt([]byte("abc"), 0)
	must(t, err)
	must(t, file.Sync())
	d.fillOrFree(false)
	_, err = file.WriteAt([]byte("more"), 10)
	must(t, err)
	must(t, file.Sync())
	d.lose()
	if got, _ := os.ReadFile(d.path("data")); string(got) != "abc3456789more" {
		t.Fatalf("left: %q", got)
	}
}

// fillOrFree changes it, and waits until it has.
func (d *disk) fillOrFree(full bool) {
	d.t.Helper()
	must(d.t, d.command.Process.Signal(syscall.SIGUSR2))
	for until := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var stat syscall.Statfs_t
		must(d.t, syscall.Statfs(d.mount, &stat))
		if (stat.Bavail == 0) == full {
			return
		}
		if time.Now().After(until) {
			d.t.Fatal("the disk did not change")
		}
	}
}
