//! What Interlock's tests share: the reference engine, random contracts and traces, comparisons of engines, and what
//! benchmarks run and measure.

pub mod bare;
pub mod boxed;
pub mod corpus;
pub mod differential;
pub mod evidence;
pub mod generate;
pub mod journals;
pub mod logs;
pub mod race;
pub mod reference;
mod retiring;
