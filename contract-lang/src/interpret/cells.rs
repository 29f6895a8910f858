//! The cells that rules keep. A further register needs one line here.

use contract_runtime::private::{
    self as rt, Belief, Count, Deadline, Distinct, OpenIds, Operand, Permission, PermissionRule, Rate, RateLimit,
    Receipt, Total, TotalLimit, Touched, WindowTotal,
};

use super::event::Event;
use super::memory::{Executed, Instances, Memory, Returned, give_back};
use crate::mir::{Kind, Machine, Register, Rule};

impl Machine {
    /// The machine as the runtime steps it.
    #[must_use]
    pub fn view(&self) -> rt::Machine<'_> {
        rt::Machine {
            width: self.width,
            initial: self.initial,
            colours: &self.colours,
            delta: &self.delta,
            stricter: &self.stricter,
        }
    }
}

impl Executed for Belief {
    fn fixed(kind: &Kind) -> Option<rt::Machine<'_>> {
        match kind {
            Kind::Automaton { machine, .. } => Some(machine.view()),
            _ => None,
        }
    }

    fn read<'s>(event: &Event<'s>) -> rt::Step {
        match event {
            Event::Letters(step) => *step,
            Event::Register { .. } => rt::Step::one(rt::Letters::NONE),
        }
    }

    fn receipt(_: &rt::Step) -> Receipt {
        Receipt::NOTHING
    }

    fn give_back(_: &mut Instances<Self>, _: &Kind, _: &Touched<'_>, _: &Returned<'_>) {}
}

/// Registers: which one a cell keeps, and what its rule fixes.
macro_rules! registers {
    ($($cell:ident: $pattern:pat => $fixed:expr,)*) => {
        $(impl Executed for $cell {
            fn fixed(kind: &Kind) -> Option<Self::Rule<'_>> {
                match kind {
                    Kind::Register { register: $pattern, .. } => Some($fixed),
                    _ => None,
                }
            }

            fn read<'s>(event: &Event<'s>) -> Self::Step<'s> {
                let (holds, at, operand) = match event {
                    Event::Register { holds, at, operand } => (*holds, *at, operand.clone()),
                    Event::Letters(_) => (rt::Holds::NOTHING, rt::Time::MIN, None),
                };
                <Self as rt::Register>::of(holds, at, operand.map_or(Operand::None, Operand::Value))
            }

            fn receipt(step: &Self::Step<'_>) -> Receipt {
                <Self as rt::Register>::receipt(step)
            }

            fn give_back(memory: &mut Instances<Self>, kind: &Kind, key: &Touched<'_>, returned: &Returned<'_>) {
                if let Some(fixed) = Self::fixed(kind) {
                    give_back(memory, fixed, key, returned);
                }
            }
        })*

        /// The fresh memory of a stepping rule; `None` for a rule that does not step.
        pub(super) fn memory(rule: &Rule) -> Option<Box<dyn Memory>> {
            None.or_else(|| Instances::<Belief>::boxed(rule))$(.or_else(|| Instances::<$cell>::boxed(rule)))*
        }
    };
}

registers! {
    Count: Register::Count { limit } => *limit,
    Total: Register::Total { limit } => *limit,
    Rate: Register::Rate { limit, window } => RateLimit { limit: *limit, window: *window },
    WindowTotal: Register::WindowTotal { limit, window } => TotalLimit { limit: *limit, window: *window },
    Distinct: Register::Distinct { limit } => *limit,
    OpenIds: Register::OpenIds { limit } => *limit,
    Deadline: Register::Deadline { within } => *within,
    Permission: Register::Permission { expires, consume } => PermissionRule { expires: *expires, consume: *consume },
}
