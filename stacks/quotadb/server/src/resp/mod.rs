//! The Redis wire protocol, version 2, and its inline form.

mod inline;
pub mod number;
pub mod parser;
pub mod reply;
