//! `ensure: p` or `[p, q, …]` with `after: r` and `otherwise: withhold | alert`: a postcondition.
//!
//! ```yaml
//! after: search
//! ensure: all(row in result.rows => row.tenant == "a")
//! ```
//! ```text
//! search → {"rows": [{"tenant": "a"}]}  | allow    | open
//! search → {"rows": [{"tenant": "b"}]}  | withhold | violated
//! search → {"rows": 7}                  | withhold | violated
//! end                                   |          | violated
//! ```
//!
//! Pattern: results alone; a bare tool is any outcome. A result for which a predicate does not hold, or is not
//! established, is withheld from the agent: nothing is committed, and to all rules the call is one that ran and proves
//! nothing. With `otherwise: alert` it is only reported. `decide.unestablished` overrides what becomes of a result of
//! which it is not known whether the predicates hold. Nothing of it is remembered.

use contract_runtime::Decision;

use super::words::{listed, quoted};
use super::{Lack, REMEMBERS_NOTHING, Template, Words};
use crate::ast::{Ensure, Otherwise, Rule, Source};
use crate::mir::{Kind, Pattern};
use crate::resolve::lowering::{Lowering, only};
use crate::resolve::role::Role;
use crate::resolve::scope::Roots;

const OTHERWISE: &str =
    "write `otherwise: withhold` or `otherwise: alert`: the call has run when its result is looked at";

impl Ensure {
    fn withholds(&self) -> bool {
        self.otherwise.is_none_or(|otherwise| otherwise.value == Otherwise::Withhold)
    }
}

impl Template for Ensure {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        vec![(&self.after, Role::RESULT)]
    }

    fn names(&self) -> Vec<&str> {
        vec!["after"]
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        lowering.refuse_rows(&["satisfied", "open", "pending", "violated"], OTHERWISE);
        let clauses = lowering.clauses(&self.ensure, Roots::OF_RESULT);
        Some(Kind::Ensure { pattern: only(patterns)?, clauses: clauses? })
    }

    fn words(&self, _: &Rule) -> Words {
        let becomes = if self.withholds() { ", or is withheld" } else { "" };
        Words {
            says: format!("a result of {} fulfils {}{becomes}", quoted(&self.after), listed(self.ensure.iter())),
            advice: "the call has run; make another whose result does".to_owned(),
        }
    }

    fn lacks(&self) -> Vec<Lack> {
        [REMEMBERS_NOTHING, &[("action", OTHERWISE)]].concat()
    }

    fn otherwise(&self) -> Option<Decision> {
        Some(if self.withholds() { Decision::Block } else { Decision::Alert })
    }
}

#[cfg(test)]
mod tests {
    use contract_runtime::{ByEffect, Decision};

    use crate::diagnostic::Code;
    use crate::rule::fixture::{assert_mistake, mistakes, rule, table};

    const ENSURE: &str = "after: a\nensure: [result.x, args.y]";

    #[test]
    fn otherwise_decides_and_decide_says_what_becomes_of_the_unknown() {
        let withheld = rule(ENSURE).table;
        let all = ByEffect::all;
        assert_eq!((withheld.violated, withheld.unestablished), (all(Decision::Block), all(Decision::Block)));
        let alert = format!("{ENSURE}\notherwise: alert");
        let reported = rule(&alert).table;
        assert_eq!((reported.violated, reported.unestablished), (all(Decision::Alert), all(Decision::Alert)));
        let file = table("decide: { unestablished: { read: allow }, violated: ask }", &alert);
        let reads = ByEffect { read: Decision::Allow, ..all(Decision::Alert) };
        assert_eq!((file.violated, file.unestablished), (all(Decision::Alert), reads));
        let own = format!("{ENSURE}\ndecide: {{ unestablished: {{ write: alert }} }}");
        let both = table("decide: { unestablished: { read: allow } }", &own);
        let expected = ByEffect { read: Decision::Allow, write: Decision::Alert, irreversible: Decision::Block };
        assert_eq!(both.unestablished, expected);
    }

    #[test]
    fn what_violates_it_is_not_decided_twice() {
        let action = format!("{ENSURE}\naction: ask");
        assert_mistake(&action, Code::UnknownField, "ask", "a rule with `ensure` has no field `action`");
        let decide = format!("{ENSURE}\ndecide: {{ violated: ask }}");
        let message = "`decide` of a rule with `ensure` has no `violated`";
        assert_mistake(&decide, Code::UnknownField, "{ violated: ask }", message);
    }

    #[test]
    fn it_looks_at_results() {
        let call = "after: call(a)\nensure: args.x";
        assert_mistake(call, Code::WrongPhase, "a", "`call(a)` cannot be a result");
        let keyed = format!("{ENSURE}\nper: args.x");
        assert_eq!(mistakes(&keyed).len(), 1);
    }
}
