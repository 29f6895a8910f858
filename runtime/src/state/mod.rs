//! Trusted state: cells that only commits change.
//!
//! INVARIANT: all right sides of an event's commits are evaluated before the first of them is applied. What is not known
//! exactly, or not any more, is *not established*.

mod age;
mod change;
mod saved;
mod writes;

use serde_json::Value;

use self::age::Age;
pub use self::writes::Writes;
use crate::finding::{Finding, Subject};
use crate::info::CellInfo;
use crate::value::{Datum, Est};
use crate::{Decision, Time, Verdict};

/// The values of a contract's state cells, by index.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    cells: Vec<Cell>,
}

/// A cell: its value if it is established, and since when, where that matters.
#[derive(Clone, Debug, Default, PartialEq)]
struct Cell {
    value: Option<Datum>,
    age: Age,
}

impl State {
    /// The initial state of a contract's cells: one datum per cell, `None` where it is not established. What a contract
    /// starts with does not get old: it is no fact that was found out some time ago.
    #[must_use]
    pub fn new(cells: Vec<Option<Datum>>) -> Self {
        Self { cells: cells.into_iter().map(|value| Cell { value, age: Age::default() }).collect() }
    }

    /// The value of a cell.
    #[must_use]
    #[inline]
    pub fn read(&self, cell: usize) -> Est<'_> {
        self.cells.get(cell)?.value.as_ref().map(Datum::as_val)
    }

    /// Applies the changes that the commits of an event make, in order. What cannot be carried out becomes a finding.
    pub fn apply(&mut self, infos: &[CellInfo], writes: Writes, now: Time, findings: &mut Vec<Finding>) {
        for write in writes.list {
            let (Some(cell), Some(info)) = (self.cells.get_mut(write.cell), infos.get(write.cell)) else { continue };
            let touched = if write.certain && info.fresh.is_some() {
                age::touches(cell.value.as_ref(), &write.change)
            } else {
                None
            };
            let outcome = if write.certain {
                change::apply(&mut cell.value, info, write.change)
            } else {
                change::doubt(&mut cell.value, write.change)
            };
            if let Some(touched) = touched {
                cell.age.touch(cell.value.as_ref(), touched, now);
            }
            if let Err(reason) = outcome {
                let subject = Subject::State(u16::try_from(write.cell).unwrap_or(u16::MAX));
                findings.push(Finding::new(subject, Verdict::Unestablished, Decision::Alert, reason));
            }
        }
    }

    /// Makes *not established* what is older than its cell allows.
    #[inline]
    pub fn expire(&mut self, infos: &[CellInfo], now: Time) {
        for (cell, info) in self.cells.iter_mut().zip(infos) {
            if let Some(fresh) = info.fresh {
                cell.age.expire(&mut cell.value, fresh, now);
            }
        }
    }

    /// Makes every cell not established.
    pub fn doubt(&mut self, infos: &[CellInfo]) {
        self.cells = infos.iter().map(|_| Cell::default()).collect();
    }

    /// The cells as JSON, by index.
    #[must_use]
    pub fn save(&self) -> Value {
        self.cells.iter().map(saved::save).collect()
    }

    /// The cells that were saved; `None` if they are not of these declarations.
    #[must_use]
    pub fn load(infos: &[CellInfo], saved: &Value) -> Option<Self> {
        let saved = saved.as_array().filter(|saved| saved.len() == infos.len())?;
        let cells = saved.iter().zip(infos).map(|(saved, info)| saved::load(saved, info));
        Some(Self { cells: cells.collect::<Option<_>>()? })
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use serde_json::json;

    use super::*;
    use crate::finding::Reason;
    use crate::value::{Duration, Fuel, Map, ScalarRef, Set, Type, Val, is_in};
    use crate::{Time, Truth};

    fn cell(ty: &str, max: usize) -> Vec<CellInfo> {
        let ty = Type::parse(ty).unwrap();
        vec![CellInfo { name: Cow::Borrowed("cell"), ty, max, max_bytes: 16, fresh: Duration::parse("15m") }]
    }

    fn commit(state: &mut State, cells: &[CellInfo], make: impl FnOnce(&mut Writes)) -> Vec<Reason> {
        let (mut writes, mut findings) = (Writes::new(), Vec::new());
        make(&mut writes);
        state.apply(cells, writes, Time::EPOCH, &mut findings);
        findings.into_iter().map(|finding| finding.reason).collect()
    }

    fn member(state: &State, text: &str) -> Truth {
        is_in(&Fuel::new(), Some(Val::text(text)), state.read(0))
    }

    #[test]
    fn a_full_set_leaves_absent_members_not_established() {
        let cells = cell("set<string>", 1);
        let mut state = State::new(vec![Some(Datum::Set(Set::default()))]);
        assert_eq!(member(&state, "a"), Truth::False);
        let text = |text| Some(Val::text(text));
        assert!(commit(&mut state, &cells, |writes| writes.insert(&cells, 0, Truth::True, text("a"))).is_empty());
        assert_eq!((member(&state, "a"), member(&state, "b")), (Truth::True, Truth::False));
        let found = commit(&mut state, &cells, |writes| writes.insert(&cells, 0, Truth::True, text("b")));
        assert_eq!(found, [Reason::CellFull]);
        assert_eq!((member(&state, "a"), member(&state, "b")), (Truth::True, Truth::Unknown));
    }

    #[test]
    fn nothing_stale_stays_behind_a_value_that_does_not_fit() {
        let cells = cell("string", 1);
        let mut state = State::new(vec![None]);
        let text = |text| Some(Val::text(text));
        commit(&mut state, &cells, |writes| writes.set(&cells, 0, Truth::True, text("a")));
        assert!(state.read(0).is_some());
        let long = "a text of more than sixteen bytes";
        assert_eq!(
            commit(&mut state, &cells, |writes| writes.set(&cells, 0, Truth::True, text(long))),
            [Reason::BadValue]
        );
        assert!(state.read(0).is_none());
        commit(&mut state, &cells, |writes| writes.set(&cells, 0, Truth::True, text("b")));
        commit(&mut state, &cells, |writes| writes.set(&cells, 0, Truth::Unknown, text("c")));
        assert!(state.read(0).is_none(), "it may be `b` or `c`");
    }

    #[test]
    fn bind_keeps_the_first_value() {
        let cells = cell("string", 1);
        let mut state = State::new(vec![None]);
        for value in ["a", "b"] {
            let value = Some(Val::text(value));
            commit(&mut state, &cells, |writes| writes.bind(&cells, 0, Truth::True, value));
        }
        assert_eq!(state.read(0), Some(Val::text("a")));
    }

    fn text(text: &str) -> Est<'_> {
        Some(Val::text(text))
    }

    fn minute(minutes: i128) -> Time {
        Time::from_nanos(minutes.saturating_mul(60_000_000_000))
    }

    fn write(state: &mut State, cells: &[CellInfo], at: Time, make: impl FnOnce(&mut Writes)) {
        let mut writes = Writes::new();
        make(&mut writes);
        state.expire(cells, at);
        state.apply(cells, writes, at, &mut Vec::new());
    }

    #[test]
    fn a_value_is_established_as_long_as_it_is_fresh() {
        let cells = cell("string", 1);
        let mut state = State::new(vec![None]);
        write(&mut state, &cells, minute(10), |writes| writes.set(&cells, 0, Truth::True, text("a")));
        state.expire(&cells, minute(25));
        assert_eq!(state.read(0), text("a"), "exactly as old as it may be");
        state.expire(&cells, minute(25).checked_add(Duration::from_nanos(1)).unwrap());
        assert_eq!(state.read(0), None);
    }

    #[test]
    fn each_member_gets_old_by_itself() {
        let cells = cell("set<string>", 9);
        let mut state = State::new(vec![Some(Datum::Set(Set::default()))]);
        write(&mut state, &cells, minute(0), |writes| writes.insert(&cells, 0, Truth::True, text("a")));
        write(&mut state, &cells, minute(10), |writes| writes.insert(&cells, 0, Truth::True, text("b")));
        write(&mut state, &cells, minute(10), |writes| writes.insert(&cells, 0, Truth::Unknown, text("a")));
        assert_eq!((member(&state, "a"), member(&state, "c")), (Truth::True, Truth::Unknown));
        let mut state = State::load(&cells, &state.save()).unwrap();
        state.expire(&cells, minute(16));
        assert_eq!((member(&state, "a"), member(&state, "b")), (Truth::Unknown, Truth::True));
        write(&mut state, &cells, minute(20), |writes| writes.insert(&cells, 0, Truth::True, text("b")));
        state.expire(&cells, minute(26));
        assert_eq!((member(&state, "b"), member(&state, "c")), (Truth::True, Truth::Unknown));
        write(&mut state, &cells, minute(26), |writes| writes.clear(0, Truth::True));
        state.expire(&cells, minute(99));
        assert_eq!(member(&state, "b"), Truth::False);
    }

    #[test]
    fn sets_in_maps_forget_their_members_and_then_themselves() {
        let cells = cell("map<set<string>>", 9);
        let mut state = State::new(vec![Some(Datum::Map(Map::default()))]);
        let insert = |state: &mut State, at, item| {
            write(state, &cells, minute(at), |writes| writes.insert_at(&cells, 0, Truth::True, text("k"), text(item)));
        };
        let read = |state: &State, item| {
            let Some(Val::Map(map)) = state.read(0) else { panic!() };
            let at = map.get(ScalarRef::Text("k")).map(Datum::as_val);
            is_in(&Fuel::new(), text(item), at)
        };
        insert(&mut state, 0, "a");
        insert(&mut state, 10, "b");
        state.expire(&cells, minute(16));
        assert_eq!(
            (read(&state, "a"), read(&state, "b"), read(&state, "c")),
            (Truth::Unknown, Truth::True, Truth::Unknown)
        );
        state.expire(&cells, minute(26));
        assert_eq!(read(&state, "b"), Truth::Unknown);
        write(&mut state, &cells, minute(30), |writes| {
            let list = Some(Val::List(vec![text("x")]));
            writes.put(&cells, 0, Truth::True, text("k"), list);
        });
        state.expire(&cells, minute(40));
        assert_eq!((read(&state, "x"), read(&state, "y")), (Truth::True, Truth::False));
        state.expire(&cells, minute(46));
        assert!(matches!(state.read(0), Some(Val::Map(map)) if map.is_empty() && map.unsure));
    }

    #[test]
    fn times_do_not_outgrow_what_they_are_of() {
        let cells = cell("set<string>", 4);
        let mut state = State::new(vec![Some(Datum::Set(Set::default()))]);
        for number in 0..1_000 {
            let name = number.to_string();
            write(&mut state, &cells, minute(0), |writes| {
                writes.insert(&cells, 0, Truth::True, text(&name));
                writes.remove(&cells, 0, Truth::True, text(&name));
            });
        }
        assert!(state.cells[0].age.parts.len() < 100);
    }

    #[test]
    fn what_is_saved_comes_back_and_what_is_not_of_the_declarations_does_not() {
        let types = ["bool", "int", "decimal", "string", "time", "json", "set<time>", "map<decimal>", "map<json>"];
        let values = [
            json!(true),
            json!(7),
            json!(0.25),
            json!("a"),
            json!("2026-01-01T10:00:00.5Z"),
            json!({"a": [1, null, 1.5]}),
            json!(["2026-01-01T10:00:00Z"]),
            json!({"1": 2, "x": 18_446_744_073_709_551_615_u64}),
            json!({"a": {"b": "c"}}),
        ];
        for (ty, value) in types.iter().zip(&values) {
            let cells = cell(ty, 5);
            let cells = [CellInfo { max_bytes: 99, ..cells[0].clone() }];
            let mut state = State::new(vec![None]);
            write(&mut state, &cells, minute(1), |writes| {
                writes.set(&cells, 0, Truth::True, Some(Val::from_json(value)));
            });
            assert!(state.read(0).is_some(), "{ty}");
            let text = state.save().to_string();
            let again = State::load(&cells, &serde_json::from_str(&text).unwrap()).unwrap();
            assert_eq!((again.read(0), again.save().to_string()), (state.read(0), text), "{ty}");
            let other = cell(if *ty == "string" { "int" } else { "string" }, 5);
            assert!(State::load(&other, &state.save()).is_none(), "{ty}");
        }
        let cells = cell("set<string>", 1);
        for bad in [json!([]), json!([{"value": {"set": [false, ["a", "b"]]}}]), json!([{"written": "x"}]), json!(1)] {
            assert!(State::load(&cells, &bad).is_none(), "{bad}");
        }
        let mut state = State::new(vec![Some(Datum::Set(Set::default()))]);
        state.doubt(&cells);
        assert_eq!(state.read(0), None);
    }
}
