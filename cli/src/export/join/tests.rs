use contract_runtime::Status;

use super::*;
use crate::export::fixture::Pen;

/// Writes down what it was handed.
#[derive(Debug, Default)]
struct Told(Vec<String>);

impl Target for Told {
    fn take(&mut self, item: &Item<'_>) -> io::Result<()> {
        self.0.push(match item {
            Item::Started(session) => format!("start {}", session.name),
            Item::Call(session, call) => {
                let outcome = call.outcome.as_ref().map_or("-", |(_, outcome)| outcome.status.as_str());
                format!("call {} {} {outcome}", session.name, call.place.seq)
            }
            Item::Found(session, found) => format!("found {} {}", session.name, found.kind),
            Item::Ended(session) => format!("end {} {}", session.name, session.end.is_some()),
            other => format!("{other:?}"),
        });
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn told(pen: Pen, number: usize, bytes: usize) -> (Vec<String>, Lost) {
    let mut told = Told::default();
    let lost = pen.export_within(Room { number, bytes }, &mut told);
    (told.0, lost)
}

#[test]
fn the_oldest_call_makes_room() {
    let mut pen = Pen::default();
    pen.start("s", None);
    let first = pen.decide("s", |_| ());
    let second = pen.decide("s", |_| ());
    let third = pen.decide("s", |_| ());
    for seq in [third, second, first] {
        pen.complete("s", seq, Status::Ok);
    }
    let (told, lost) = told(pen, 2, usize::MAX);
    assert_eq!(told, ["start s", "call s 1 -", "call s 3 ok", "call s 2 ok", "end s false"]);
    assert_eq!(lost, Lost { calls: 1, sessions: 0 });
}

#[test]
fn open_calls_take_only_so_many_bytes() {
    let mut pen = Pen::default();
    pen.start("s", None);
    for _ in 0..3 {
        pen.decide("s", |call| call.tool = "t".repeat(3_000).into());
    }
    let (told, lost) = told(pen, 100, 7_500);
    assert_eq!(told, ["start s", "call s 1 -", "call s 2 -", "call s 3 -", "end s false"]);
    assert_eq!(lost.calls, 1);
}

#[test]
fn the_oldest_session_makes_room_with_its_calls() {
    let mut pen = Pen::default();
    pen.start("a", None);
    pen.decide("a", |_| ());
    pen.start("b", None);
    pen.start("c", None);
    let (told, lost) = told(pen, 2, usize::MAX);
    assert_eq!(told, ["start a", "start b", "start c", "call a 1 -", "end a false", "end b false", "end c false"]);
    assert_eq!(lost, Lost { calls: 0, sessions: 1 });
}

#[test]
fn what_belongs_to_no_known_call_is_told_with_its_session() {
    let mut pen = Pen::default();
    pen.complete("s", 77, Status::Failed);
    assert_eq!(told(pen, 10, usize::MAX).0, ["end s false"]);
}

#[test]
fn a_session_that_is_taken_up_again_is_another_one() {
    let mut pen = Pen::default();
    pen.start("s", None);
    pen.decide("s", |_| ());
    pen.start("s", None);
    let (told, lost) = told(pen, 10, usize::MAX);
    assert_eq!(told, ["start s", "call s 1 -", "end s false", "start s", "end s false"]);
    assert_eq!(lost, Lost::default());
}

#[test]
fn numbers_that_come_twice_do_no_harm() {
    let mut pen = Pen::default();
    pen.start("s", None);
    pen.decide("s", |_| ());
    let twice = pen.records.clone();
    pen.records.extend(twice);
    let (told, _) = told(pen, 10, usize::MAX);
    assert_eq!(told, ["start s", "call s 1 -", "end s false", "start s", "call s 1 -", "end s false"]);
}
