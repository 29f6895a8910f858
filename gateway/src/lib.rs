//! Guards between agents and their tools.
//!
//! [`mcp`] stands between any MCP client and any MCP server. Its heart is a [`mcp::Gate`]: what becomes of a message is a
//! function of the message and the session, without I/O; transports only carry bytes. Where a call needs a person's approval,
//! [`approval`] asks somebody who is not at the client.

pub mod approval;
pub(crate) mod json;
pub mod mcp;
