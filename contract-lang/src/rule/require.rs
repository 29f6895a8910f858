//! `require: p` or `[p, q, …]` with `call: c`: a precondition.
//!
//! ```yaml
//! call: pay
//! require: [args.amount > 0, args.amount <= 100]
//! ```
//! ```text
//! pay {"amount": 5}    | allow | open
//! pay {"amount": 500}  | block | open
//! pay                  | block | open
//! end                  |       | satisfied
//! ```
//!
//! Pattern: calls alone. Each predicate must hold for a call that the pattern matches; the first that does not is named.
//! One that is not established makes the call unestablished. It remembers nothing.

use super::words::{listed, quoted};
use super::{Lack, REMEMBERS_NOTHING, Template, Words};
use crate::ast::{Require, Rule, Source};
use crate::mir::{Kind, Pattern};
use crate::resolve::lowering::{Lowering, only};
use crate::resolve::role::Role;
use crate::resolve::scope::Roots;

impl Template for Require {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        vec![(&self.call, Role::DECIDED)]
    }

    fn names(&self) -> Vec<&str> {
        vec!["call"]
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        let clauses = lowering.clauses(&self.require, Roots::OF_CALL);
        Some(Kind::Require { pattern: only(patterns)?, clauses: clauses? })
    }

    fn words(&self, _: &Rule) -> Words {
        Words {
            says: format!("{} requires {}", quoted(&self.call), listed(self.require.iter())),
            advice: "make this hold first, with arguments or calls that establish it".to_owned(),
        }
    }

    fn lacks(&self) -> Vec<Lack> {
        REMEMBERS_NOTHING.to_vec()
    }
}
