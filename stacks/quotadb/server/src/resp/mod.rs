//! The Redis wire protocol, version 2, and its inline form.

pub mod number;
pub mod parser;
pub mod reply;
