//! Saves what a monitor remembers, and takes it up again.

use contract_runtime::private::{self as rt, Restoring, Saving};
use contract_runtime::{Finding, RestoreError, Version};
use serde_json::Value;

use super::{Interpreter, RuleState, number};
use crate::info;
use crate::mir::{Kind, Rule};

/// All that the monitor remembers.
pub(super) fn save(interpreter: &Interpreter) -> Value {
    let mut saving = Saving::new(interpreter.position, &interpreter.state);
    for (rule, state) in interpreter.program.contract.rules.iter().zip(&interpreter.rules) {
        match state {
            RuleState::Memory(memory) => saving.rule(&rule.id, memory.save()),
            RuleState::Stateless(stateless) => saving.rule(&rule.id, stateless.save()),
            RuleState::Flow(flow) => saving.rule(&rule.id, flow.save()),
            RuleState::Nothing => {}
        }
    }
    saving.finish()
}

/// Goes on from what was saved.
pub(super) fn restore(
    interpreter: &mut Interpreter,
    saved: &Value,
    version: Version,
) -> Result<Vec<Finding>, RestoreError> {
    let Interpreter { program, rules, state, position } = interpreter;
    let mut restoring = Restoring::new(saved, version)?;
    *position = restoring.position();
    *state = restoring.state(&program.info.cells, rt::State::new(info::initial_state(&program.contract)))?;
    for (index, (rule, state)) in program.contract.rules.iter().zip(rules).enumerate() {
        if !matches!(state, RuleState::Nothing) {
            restoring.rule(number(index), &rule.id, |saved, version| state.take(rule, saved, version))?;
        }
    }
    Ok(restoring.finish())
}

impl RuleState {
    /// Takes up what was saved; `false` if it could not have saved this.
    fn take(&mut self, rule: &Rule, saved: &Value, version: Version) -> bool {
        match (self, version) {
            (Self::Memory(memory), Version::Same) => memory.load(rule, saved),
            (Self::Memory(memory), Version::Other) => {
                memory.doubt(rule, saved);
                true
            }
            (Self::Stateless(stateless), Version::Same) => rt::replace(stateless, rt::Stateless::load(saved)),
            (Self::Stateless(stateless), Version::Other) => {
                stateless.doubt();
                true
            }
            (Self::Flow(flow), Version::Same) => {
                let Kind::NoFlow { min_length, .. } = rule.kind else { return false };
                rt::replace(flow, rt::Flow::load(min_length, saved))
            }
            (Self::Flow(flow), Version::Other) => {
                flow.doubt();
                true
            }
            (Self::Nothing, _) => true,
        }
    }
}
