//! The server from outside, over HTTP: every test runs on each storage.

mod crowd;
mod durability;
#[cfg(target_os = "linux")]
mod full_disk;
mod graph;
mod harness;
#[cfg(feature = "mongodb")]
mod mongodb;
mod projections;
mod rest;
#[cfg(feature = "sql")]
mod sql;
mod temporal;

/// Makes one test for each storage of functions that take the storage's name.
macro_rules! on_each_storage {
    ($($name:ident)*) => {
        crate::on_each_file_storage! { $($name)* }
        mod mongodb { $(
            #[test]
            #[ignore = "needs MONGO_TEST_URI: the tests of stacks/meshql-mongodb run it"]
            fn $name() { super::$name("mongodb"); }
        )* }
    };
}

/// Where the data lies in the server's own files.
macro_rules! on_each_file_storage {
    ($($name:ident)*) => {
        mod embedded { $( #[test] fn $name() { super::$name("embedded"); } )* }
        mod sqlite { $( #[test] fn $name() { super::$name("sqlite"); } )* }
    };
}

pub(crate) use on_each_file_storage;
pub(crate) use on_each_storage;
