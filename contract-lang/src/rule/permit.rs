//! `permit: p`: calls that run although `default` would stop them.
//!
//! ```yaml
//! permit: look | search where args.q != null
//! ```
//! ```text
//! look                | allow | open
//! search {"q": "a"}   | allow | open
//! search {"q": null}  | allow | open
//! end                 |       | satisfied
//! ```
//!
//! Pattern: calls alone. A permit matches only if its pattern certainly holds, and it lifts nothing but the contract's
//! default (here it is `allow`, so that nothing is stopped): what another rule says of the call stands. It remembers
//! nothing and is never violated.

use super::words::quoted;
use super::{Lack, REMEMBERS_NOTHING, Template, Words};
use crate::ast::{Permit, Rule, Source};
use crate::mir::{Kind, Pattern};
use crate::resolve::lowering::{Lowering, only};
use crate::resolve::role::Role;

impl Template for Permit {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        vec![(&self.permit, Role::DECIDED)]
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, _: &mut Lowering<'_, '_>) -> Option<Kind> {
        Some(Kind::Permit { pattern: only(patterns)? })
    }

    fn words(&self, _: &Rule) -> Words {
        Words { says: format!("{} is permitted", quoted(&self.permit)), advice: String::new() }
    }

    fn lacks(&self) -> Vec<Lack> {
        const HELP: &str =
            "what it does not match is decided by `default`; a rule that asks is a `forbid` with `action: ask`";
        [REMEMBERS_NOTHING, &[("action", HELP), ("decide", HELP)]].concat()
    }
}
