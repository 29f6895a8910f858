//! A guard in front of an MCP server.
//!
//! A [`Gate`] stands between one client and one server. Each message goes through it, in either direction, and the gate says
//! what becomes of it: an [`Action`]. What it lets pass, it passes byte for byte.

mod answer;
mod asking;
mod confusable;
mod desk;
mod flight;
mod frame;
mod gate;
mod guarded;
#[cfg(feature = "http")]
pub mod http;
mod listing;
mod message;
mod notice;
mod outcome;
mod permitted;
mod pins;
mod result;
pub mod stdio;

pub use self::desk::{Desk, Sought, Standing};
pub use self::frame::{Frame, Framing, LONGEST, Next, one_line};
pub use self::gate::{Action, Choice, Gate, Keeper, Observer, Settings, Ticket};
pub use self::listing::Listed;
pub use self::notice::{Notice, NoticeKind};
pub use self::permitted::{admits_strangers, may_run};
pub use self::pins::Pins;
