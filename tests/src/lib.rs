//! What Interlock's tests share: the reference engine, random contracts and traces, and comparisons of engines.

pub mod boxed;
pub mod corpus;
pub mod differential;
pub mod generate;
pub mod reference;
