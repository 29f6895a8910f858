//! `no_flow: { from, to, values?, min_length? }`: what was seen in a result must not appear in arguments.
//!
//! ```yaml
//! no_flow: { from: read_secret, to: send_mail | post, values: result.token }
//! ```
//! ```text
//! send_mail {"text": "key sk-12345678"}              | allow | open
//! read_secret → {"token": "sk-12345678", "n": "ab"}  | allow | open
//! send_mail {"text": "key sk-12345678"}              | block | open
//! post {"body": {"sk-12345678": 1}}                  | block | open
//! send_mail {"text": "ab"}                           | allow | open
//! end                                                |       | satisfied
//! ```
//!
//! Patterns: `[from, to]`. From each result of `from` the texts and numbers at `values` (all of them, if not given) are
//! taken, whole and by their words, if they have at least `min_length` bytes. A call of `to` is a violation if a text or
//! key of its arguments contains one. Only fingerprints are kept, at most 16,384; past that every further call of `to` is
//! unestablished. It finds copies, not paraphrases or encodings.

use super::words::quoted;
use super::{Lack, Template, Words};
use crate::ast::{NoFlow, Rule, Source};
use crate::mir::{Kind, Pattern, Step};
use crate::resolve::lowering::Lowering;
use crate::resolve::role::Role;

/// The shortest text that is looked at, in bytes, if the rule does not say.
const MIN_LENGTH: u32 = 8;

impl Template for NoFlow {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        vec![(&self.from, Role::RESULT), (&self.to, Role::DECIDED)]
    }

    fn names(&self) -> Vec<&str> {
        vec!["from", "to"]
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        let values = match &self.values {
            None => Some(vec![vec![Step::Deep]]),
            Some(paths) => lowering.result_paths(paths),
        };
        let min_length =
            self.min_length.and_then(|length| u32::try_from(length.value.get()).ok()).unwrap_or(MIN_LENGTH);
        let patterns = <[Pattern; 2]>::try_from(patterns?).ok()?;
        Some(Kind::NoFlow { patterns, values: values?, min_length })
    }

    fn violating(&self) -> std::ops::Range<usize> {
        1..2
    }

    fn words(&self, _: &Rule) -> Words {
        let (from, to) = (quoted(&self.from), quoted(&self.to));
        Words {
            says: format!("what results of {from} hold does not appear in the arguments of {to}"),
            advice: format!("leave out what came from {from}"),
        }
    }

    fn lacks(&self) -> Vec<Lack> {
        const HELP: &str = "what was seen is remembered for the whole session: leave it out";
        ["per", "missing", "instances", "guards", "reset_on"].map(|field| (field, HELP)).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnostic::Code;
    use crate::mir::{Kind, Step};
    use crate::rule::fixture::{assert_mistake, mistakes, phases, rule};

    #[test]
    fn everything_of_a_result_flows_unless_the_rule_says_what() {
        let kept = |text: &str| match rule(&format!("no_flow: {{ from: a, to: b{text} }}")).kind {
            Kind::NoFlow { values, min_length, .. } => (values, min_length),
            other => panic!("{other:?}"),
        };
        assert_eq!(kept(""), (vec![vec![Step::Deep]], 8));
        let token = vec![Step::Field("token".to_owned())];
        assert_eq!(kept(", values: [result.token], min_length: 4"), (vec![token], 4));
    }

    #[test]
    fn it_goes_from_results_to_calls() {
        let found = phases("no_flow: { from: a, to: b }");
        assert!(found[0][0].ok && found[0][0].failed && found[0][0].unknown && !found[0][0].call);
        assert!(found[1][0].call && !found[1][0].result());
        let message = "`ok(b)` cannot be a decided call";
        assert_mistake("no_flow: { from: a, to: ok(b) }", Code::WrongPhase, "b", message);
        let keyed = mistakes("no_flow: { from: a, to: b }\nper: args.x");
        assert_eq!(keyed.first().map(|(code, ..)| *code), Some(Code::UnknownField));
        let path = mistakes("no_flow: { from: a, to: b, values: args.x }");
        assert_eq!(path.first().map(|(code, ..)| *code), Some(Code::NotReadable));
    }
}
