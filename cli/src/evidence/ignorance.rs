//! What is not known of a session that is played from a journal, and which calls can therefore not be decided.
//!
//! INVARIANT: nothing is guessed. A call is decided only if every rule that it concerns, its effect and the facts that these
//! read are known; and a call that is not decided may have run or not, so that from then on nothing is known of what it concerns.

use contract_lang::dispatch::{self, Concern, Plan, Tool};
use contract_lang::mir::{Clock, Contract, Expr, Kind, Pattern, Register, Root, Rule, Subject};

use super::hidden::Hidden;

/// What is not known of one session.
#[derive(Clone, Debug)]
pub(crate) struct Ignorance {
    /// Of each rule, whether its state is not known.
    rules: Vec<bool>,
    /// Trusted state.
    state: bool,
    /// The host's facts.
    context: bool,
    /// How many calls ran.
    position: bool,
    /// Why nothing is known at all.
    blind: Option<&'static str>,
}

/// What a value that is read may be a part of.
#[derive(Clone, Copy)]
struct Seen<'a> {
    args: &'a Hidden,
    result: &'a Hidden,
    event: &'a Hidden,
}

impl Ignorance {
    /// All is known.
    pub(crate) fn none(contract: &Contract) -> Self {
        let rules = vec![false; contract.rules.len()];
        Self { rules, state: false, context: false, position: false, blind: None }
    }

    /// The host's facts are not known.
    pub(crate) fn of_context(&mut self) {
        self.context = true;
    }

    /// Nothing is known any more, and why.
    pub(crate) fn of_everything(&mut self, why: &'static str) {
        self.blind.get_or_insert(why);
    }

    /// Whether nothing certain can be said of a rule.
    pub(crate) fn of_rule(&self, contract: &Contract, index: usize) -> bool {
        let Some(rule) = contract.rules.get(index) else { return true };
        self.blind.is_some()
            || self.rules.get(index).copied().unwrap_or(true)
            || (self.position && counts_calls(rule))
            || rule.expressions().into_iter().any(|expr| self.reads_unknown(expr))
    }

    /// Why a call cannot be decided, if so. Then nothing is known any more of what it concerns.
    pub(crate) fn of_call(&mut self, contract: &Contract, tool: &str, args: &Hidden) -> Option<String> {
        let plan = dispatch::plan(contract, Tool::Named(tool));
        let none = Hidden::default();
        let why = self.undecidable(contract, tool, &plan, Seen { args, result: &none, event: &none })?;
        self.forget(&plan.rules, !plan.commits.is_empty());
        self.position = true;
        Some(why)
    }

    fn undecidable(&self, contract: &Contract, tool: &str, plan: &Plan, seen: Seen<'_>) -> Option<String> {
        if let Some(why) = self.blind {
            return Some(why.to_owned());
        }
        if seen.args.is_everything() {
            return Some("the journal holds no more of its arguments than a digest".to_owned());
        }
        for concern in &plan.rules {
            let Some(rule) = contract.rules.get(concern.rule) else { continue };
            // What looks only at the result has no say before it, unless it needs a place for its key.
            if !concern.at_call() && rule.per.is_none() {
                continue;
            }
            let id = &rule.id;
            if self.of_rule(contract, concern.rule) {
                return Some(format!("what the rule `{id}` remembers depends on what the journal does not hold"));
            }
            if reads(rule, seen) {
                return Some(format!("the rule `{id}` reads a part of its arguments that is redacted"));
            }
        }
        let effects = dispatch::declarations(contract, Tool::Named(tool)).into_iter().flat_map(|tool| &tool.effect);
        let mut conditions = effects.filter_map(|case| case.when.as_ref());
        conditions
            .any(|when| depends(when, seen) || self.reads_unknown(when))
            .then(|| "its effect depends on what the journal does not hold".to_owned())
    }

    /// Takes what is not known of the outcome of a call. `settled`: the recorded status is what the contract makes of the result.
    pub(crate) fn of_outcome(
        &mut self,
        contract: &Contract,
        tool: &str,
        args: &Hidden,
        result: &Hidden,
        settled: bool,
    ) {
        let plan = dispatch::plan(contract, Tool::Named(tool));
        let none = Hidden::default();
        let seen = Seen { args, result, event: &none };
        let at_result: Vec<Concern> = plan.rules.into_iter().filter(Concern::at_result).collect();
        let declared = dispatch::declarations(contract, Tool::Named(tool));
        let mut conditions = declared.into_iter().filter_map(|tool| tool.succeeds_when.as_ref());
        let unsettled =
            conditions.any(|when| depends(when, seen) || self.reads_unknown(when)) || (!settled && !result.is_empty());
        // What is withheld has no outcome that counts.
        let withheld = at_result.iter().any(|concern| {
            let rule = contract.rules.get(concern.rule);
            rule.is_some_and(|rule| matches!(rule.kind, Kind::Ensure { .. }) && reads(rule, seen))
                || (rule.is_some_and(|rule| matches!(rule.kind, Kind::Ensure { .. }))
                    && self.of_rule(contract, concern.rule))
        });
        if unsettled || withheld {
            self.forget(&at_result, !plan.commits.is_empty());
            return;
        }
        let doubtful = at_result
            .into_iter()
            .filter(|concern| contract.rules.get(concern.rule).is_some_and(|rule| reads(rule, seen)))
            .collect::<Vec<_>>();
        let commits = plan.commits.into_iter().filter_map(|index| contract.commits.get(index));
        let state = commits.flat_map(expressions).any(|expr| depends(expr, seen) || self.reads_unknown(expr));
        self.forget(&doubtful, state);
    }

    /// Takes what is not known of a host event.
    pub(crate) fn of_event(&mut self, contract: &Contract, name: &str, value: &Hidden) {
        let none = Hidden::default();
        let seen = Seen { args: &none, result: &none, event: value };
        let speaks = |pattern: &Pattern| {
            let mut subjects = pattern.alternatives.iter().map(|alternative| &alternative.subject);
            subjects.any(|subject| matches!(subject, Subject::Event(glob) if glob.matches(name)))
        };
        for (rule, known) in contract.rules.iter().zip(&mut self.rules) {
            *known |= rule.all_patterns().any(speaks) && reads(rule, seen);
        }
        let commits = contract.commits.iter().filter(|commit| speaks(&commit.after));
        self.state |= commits.flat_map(expressions).any(|expr| depends(expr, seen) || self.reads_unknown(expr));
    }

    fn forget(&mut self, concerns: &[Concern], state: bool) {
        for concern in concerns {
            if let Some(unknown) = self.rules.get_mut(concern.rule) {
                *unknown = true;
            }
        }
        self.state |= state;
    }

    fn reads_unknown(&self, expr: &Expr) -> bool {
        expr.reads(|root| match root {
            Root::State(_) => self.state,
            Root::Context(_) => self.context,
            Root::Args | Root::Result | Root::Event | Root::Call(_) | Root::Variable(_) => false,
        })
    }
}

/// Whether a rule's state depends on how many calls ran.
fn counts_calls(rule: &Rule) -> bool {
    match &rule.kind {
        Kind::Register {
            register: Register::Count { .. } | Register::Total { .. } | Register::Distinct { .. },
            ..
        } => false,
        Kind::Register { clock, .. } => *clock == Clock::Calls,
        _ => false,
    }
}

/// Whether what a rule does depends on something hidden.
fn reads(rule: &Rule, seen: Seen<'_>) -> bool {
    let more = match &rule.kind {
        Kind::Rewrite { changes, .. } => changes.iter().any(|change| seen.args.meets(&change.path)),
        // It looks at everything that is passed on.
        Kind::NoFlow { values, .. } => !seen.args.is_empty() || values.iter().any(|path| seen.result.meets(path)),
        _ => false,
    };
    more || rule.expressions().into_iter().any(|expr| depends(expr, seen))
}

/// Whether the value of an expression depends on something hidden.
fn depends(expr: &Expr, seen: Seen<'_>) -> bool {
    let mut found = false;
    expr.visit(&mut |expr| {
        if let Expr::Path(path) | Expr::Has(path) = expr {
            let hidden = match path.root {
                Root::Args => seen.args,
                Root::Result => seen.result,
                Root::Event => seen.event,
                // What a variable stands for is read where its list is.
                Root::State(_) | Root::Context(_) | Root::Call(_) | Root::Variable(_) => return,
            };
            found |= hidden.meets(&path.steps);
        }
    });
    found
}

fn expressions(commit: &contract_lang::mir::Commit) -> impl Iterator<Item = &Expr> {
    let conditions = commit.after.alternatives.iter().filter_map(|alternative| alternative.condition.as_ref());
    conditions.chain(&commit.when).chain(commit.changes.iter().flat_map(contract_lang::mir::Change::expressions))
}
