//! `at_most_total: { call, sum, limit, window? }`: the exact decimal sum is at most `limit`, in the session or in every
//! window.
//!
//! ```yaml
//! at_most_total: { call: pay, sum: args.amount, limit: 0.3, window: 24h }
//! ```
//! ```text
//! pay {"amount": 0.1}    | allow | open
//! pay {"amount": 0.2}    | allow | open
//! pay {"amount": 0.01}   | block | open
//! pay {"amount": "0.1"}  | block | open
//! pay {"amount": -1}     | block | open
//! 25h later              |       | open
//! pay {"amount": 0.3}    | allow | open
//! end                    |       | satisfied
//! ```
//!
//! Patterns: `[call]`. Register: a sum, or with a `window` the amounts with their times. An amount that is missing, not a
//! number, negative or not exact is a violation. A duration is a closed window; `N calls` is any `N` consecutive admitted
//! calls of the session, of any tool.

use contract_runtime::Decimal;

use super::words::{extent, quoted};
use super::{Template, Words};
use crate::ast::{AtMostTotal, Rule, Source};
use crate::mir::{Clock, Kind, Operand, Pattern, Register};
use crate::resolve::lowering::{Lowering, readable, window};
use crate::resolve::role::Role;

impl Template for AtMostTotal {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        vec![(&self.call, Role::COUNTED)]
    }

    fn names(&self) -> Vec<&str> {
        vec!["call"]
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        let amount = lowering.number(&self.sum, readable(patterns.as_deref()));
        let limit = Decimal::parse(&self.limit.value.text)?;
        let (register, clock) = match self.window.map(|written| window(written.value)) {
            None => (Register::Total { limit }, Clock::Time),
            Some((window, clock)) => (Register::WindowTotal { limit, window }, clock),
        };
        Some(lowering.register(patterns?, register, clock, Some(Operand::Same(amount?))))
    }

    fn words(&self, _: &Rule) -> Words {
        let (sum, limit) = (quoted(&self.sum), &self.limit.value.text);
        let window = self.window.map(|window| extent(window.value));
        let any = window.as_ref().map(|window| format!(" in any {window}")).unwrap_or_default();
        let wait = window.as_ref().map(|window| format!(", or wait: it is counted for {window}")).unwrap_or_default();
        Words {
            says: format!("the sum of {sum} over {} is at most {limit}{any}", quoted(&self.call)),
            advice: format!(
                "give {sum} as a number that is not negative, smaller if little is left under {limit}{wait}"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use contract_runtime::{Decimal, Duration};

    use crate::diagnostic::Code;
    use crate::mir::Register;
    use crate::rule::fixture::{assert_mistake, register};

    #[test]
    fn a_sum_is_over_the_session_or_a_window() {
        let total = |text: &str| register(&format!("at_most_total: {{ call: a, sum: args.x, limit: 0.5{text} }}"));
        let limit = Decimal::from_parts(5, 1);
        assert_eq!(total(""), Register::Total { limit });
        assert_eq!(total(", window: 1ms"), Register::WindowTotal { limit, window: Duration::from_nanos(1_000_000) });
        assert_eq!(total(", window: 2 calls"), Register::WindowTotal { limit, window: Duration::from_nanos(1) });
    }

    #[test]
    fn a_sum_is_over_numbers() {
        let text = "at_most_total: { call: a, sum: lower(args.x), limit: 1 }";
        assert_mistake(text, Code::TypeMismatch, "lower(args.x)", "the sum is over numbers, and this is a string");
    }
}
