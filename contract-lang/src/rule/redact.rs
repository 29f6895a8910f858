//! `redact: path` or `[paths]` with `after: r`: parts of results that the agent does not see.
//!
//! ```yaml
//! after: any
//! redact: [result.**.ssn, "result.rows[].name"]
//! ```
//! ```text
//! look → {"rows": [{"name": "A", "ssn": 7}]}  | redact | open
//! look → {"rows": []}                         | allow  | open
//! end                                         |        | satisfied
//! ```
//!
//! Pattern: results alone; a bare tool is any outcome. Every value that a path leads to becomes `"[redacted]"` in what the
//! agent gets, and nowhere else: rules and trusted state read the result as it came. Where it is not established whether
//! the pattern matches, it is redacted. It decides no call and is never violated.

use super::words::{listed, quoted};
use super::{Lack, REMEMBERS_NOTHING, Template, Words};
use crate::ast::{Redact, Rule, Source};
use crate::mir::{Kind, Pattern};
use crate::resolve::lowering::{Lowering, only};
use crate::resolve::role::Role;

impl Template for Redact {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        vec![(&self.after, Role::RESULT)]
    }

    fn names(&self) -> Vec<&str> {
        vec!["after"]
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        let paths = lowering.result_paths(&self.redact);
        Some(Kind::Redact { pattern: only(patterns)?, paths: paths? })
    }

    fn words(&self, _: &Rule) -> Words {
        Words {
            says: format!("{} in results of {} is not shown", listed(self.redact.iter()), quoted(&self.after)),
            advice: String::new(),
        }
    }

    fn lacks(&self) -> Vec<Lack> {
        const HELP: &str = "a redaction decides nothing: it changes what the agent sees of a result. Leave it out";
        [REMEMBERS_NOTHING, &[("action", HELP), ("decide", HELP)]].concat()
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnostic::Code;
    use crate::mir::{Kind, Step};
    use crate::rule::fixture::{assert_mistake, mistakes, rule};

    #[test]
    fn paths_lead_into_the_result() {
        let Kind::Redact { paths, .. } = rule("after: any\nredact: [result.**.ssn, 'result.rows[0][]', result]").kind
        else {
            panic!()
        };
        let field = |name: &str| Step::Field(name.to_owned());
        let rows = vec![field("rows"), Step::Index(0), Step::Each];
        assert_eq!(paths, [vec![Step::Deep, field("ssn")], rows, vec![]]);
    }

    #[test]
    fn what_is_no_path_into_the_result_is_refused() {
        let message = "`lower(result.x)` is not a path into the result";
        assert_mistake("after: a\nredact: lower(result.x)", Code::BadValue, "lower(result.x)", message);
        let message = "`result[result.x]` is not a path into the result";
        assert_mistake("after: a\nredact: result[result.x]", Code::BadValue, "result[result.x]", message);
        for (path, code) in [("args.x", Code::NotReadable), ("ssn", Code::UnknownName)] {
            let found = mistakes(&format!("after: a\nredact: {path}"));
            assert_eq!(found.first().map(|(code, ..)| *code), Some(code), "{path}");
        }
    }
}
