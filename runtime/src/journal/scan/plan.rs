//! The fields of each kind in the order in which they stand in a line, with their names as they are spelled.

use std::sync::LazyLock;

use crate::journal::record::{COMMON_FIELDS, KINDS, Member, Shape};

/// What a line of one kind looks like.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) kind: &'static str,
    /// The kind as a JSON string.
    pub(super) quoted: Vec<u8>,
    pub(super) members: Vec<Step>,
}

/// One field.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) name: &'static str,
    /// The name as it stands in the line, with the comma before it and the colon after it.
    pub(super) opening: Vec<u8>,
    pub(super) shape: Shape,
}

static PLANS: LazyLock<Vec<Plan>> = LazyLock::new(|| KINDS.iter().map(|kind| plan(kind.name, kind.fields)).collect());

fn plan(kind: &'static str, fields: &[Member]) -> Plan {
    let mut all: Vec<Member> = COMMON_FIELDS.iter().chain(fields).copied().collect();
    all.sort_by_key(|member| member.name);
    let step = |(index, member): (usize, Member)| {
        let comma = if index == 0 { "" } else { "," };
        let opening = format!("{comma}\"{}\":", member.name).into_bytes();
        Step { name: member.name, opening, shape: member.shape }
    };
    let quoted = format!("\"{kind}\"").into_bytes();
    Plan { kind, quoted, members: all.into_iter().enumerate().map(step).collect() }
}

/// The plan of the kind that a line says it is of. Whether it is of that kind shows when the plan is followed: in a record,
/// the first place that looks like the member `kind` is that member, for quotation marks within strings are escaped, and no
/// object within a record has a member of that name.
pub(super) fn of(line: &str) -> Option<&'static Plan> {
    let (_, rest) = line.split_once(",\"kind\":\"")?;
    let (kind, _) = rest.split_once('"')?;
    PLANS.iter().find(|plan| plan.kind == kind)
}
