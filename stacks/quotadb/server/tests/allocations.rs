//! INCR, GET and PING on existing keys allocate nothing. A test binary of its own, because it counts
//! every allocation of the process.

use clap::Parser as _;
use quotadb::command::{self, Call, Session};
use quotadb::engine::{BatchStore, Buffers, Counts, Engine};
use quotadb::flags::Flags;
use quotadb::identity::Identity;
use quotadb::replication::cluster::Cluster;
use quotadb::resp::parser::{Parser, Step};
use quotadb::store::{Membership, Store};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is passed on unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn engine() -> Engine {
    let store = Store::new(Membership {
        actor: 1,
        keep_tombstones: false,
        collect_changes: false,
    });
    Engine {
        buffers: Arc::new(Buffers::new(1 << 30)),
        flags: Flags::parse_from(["quotadb"]),
        identity: Identity::fresh(None, false).unwrap(),
        store: Arc::new(Mutex::new(store)),
        log: None,
        cluster: Arc::new(Cluster::new(1, &[])),
        started: Instant::now(),
        counts: Counts::default(),
    }
}

/// Executes all commands in `input` as one batch.
fn execute(engine: &Engine, parser: &mut Parser, input: &mut [u8], out: &mut Vec<u8>) {
    let mut store = BatchStore::new(&engine.store);
    let mut session = Session {
        protocol: Default::default(),
        id: 1,
        name: Vec::new(),
        closing: false,
    };
    let mut start = 0;
    while let Ok(Step::Command(length)) = parser.next(&mut input[start..]) {
        command::execute(&mut Call {
            args: parser.args(&input[start..]),
            out,
            store: &mut store,
            session: &mut session,
            engine,
        });
        start += length;
    }
    assert_eq!(start, input.len());
    store.finish();
}

#[test]
fn the_hot_path_allocates_nothing() {
    let engine = engine();
    let mut parser = Parser::default();
    let mut input = Vec::new();
    for i in 0..1000 {
        let key = format!("counter:{:012}", i % 100);
        for command in ["INCR", "GET"] {
            let length = command.len();
            input.extend(format!("*2\r\n${length}\r\n{command}\r\n$20\r\n{key}\r\n").into_bytes());
        }
        input.extend_from_slice(b"PING\r\n");
    }
    let mut out = Vec::with_capacity(1 << 20);
    execute(&engine, &mut parser, &mut input, &mut out);
    out.clear();

    let before = ALLOCATIONS.load(Ordering::Relaxed);
    execute(&engine, &mut parser, &mut input, &mut out);
    let allocated = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert!(out.ends_with(b"$2\r\n20\r\n+PONG\r\n"));
    assert_eq!(allocated, 0, "in 3000 commands");
}
