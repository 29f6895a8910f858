//! The values that a variable can have, as far as some questions can tell them apart.

use contract_runtime::Truth;
use contract_runtime::private::{Decimal, Duration, Est, Time, Val};
use serde_json::{Value, json};

use super::atom::Question;
use crate::mir::{Comparison, Literal};

/// Most questions about one variable that are free for texts: there are two to the power of them.
const FREE: usize = 6;

/// A set of values that no question tells apart.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// The answers.
    pub(super) answers: Vec<Truth>,
    /// A value in it, where one is known: `Some(None)` is that there is none.
    pub(super) sample: Option<Option<Value>>,
    /// Whether "not established" is in it.
    pub(super) absent: bool,
    /// Whether something is in it that has members.
    pub(super) object: bool,
}

/// The cells of a variable that these questions are asked of. `None` if they cannot be told.
pub(super) fn cells(questions: &[Question]) -> Option<Vec<Cell>> {
    let constants: Vec<&Literal> = questions.iter().filter_map(Question::constant).collect();
    let mut found = Vec::new();
    let mut add = |cell: Cell| match found.iter_mut().find(|known: &&mut Cell| known.answers == cell.answers) {
        Some(known) => {
            known.absent |= cell.absent;
            known.object |= cell.object;
            if known.sample.is_none() {
                known.sample = cell.sample;
            }
        }
        None => found.push(cell),
    };
    let ask = |value: &Val<'_>| questions.iter().map(|question| question.ask(Some(value.view()))).collect::<Vec<_>>();
    // Plain values first: they make the readable samples.
    for text in texts(&constants) {
        add(of(ask(&Val::text(text)), &Val::text(text)));
    }
    for number in numbers(&constants)? {
        let value = Val::Number(number);
        add(of(ask(&value), &value));
    }
    for value in [Val::Bool(true), Val::Bool(false)] {
        add(of(ask(&value), &value));
    }
    let other = Val::text(OTHER);
    for answers in free(ask(&other), questions, Question::reads_text)? {
        let plain = answers == ask(&other);
        add(Cell { sample: plain.then(|| other.to_json()), ..of(answers, &Val::Null) });
    }
    add(Cell {
        answers: questions.iter().map(|question| question.ask(None)).collect(),
        sample: Some(None),
        absent: true,
        object: false,
    });
    add(of(ask(&Val::Null), &Val::Null));
    for value in [Val::from_owned_json(json!([])), Val::from_owned_json(json!({}))] {
        for answers in free(ask(&value), questions, Question::reads_list)? {
            add(of(answers, &value));
        }
    }
    add(Cell { sample: None, ..of(ask(&Val::Inexact), &Val::Null) });
    // Values that JSON does not have. Sets and maps answer as times do, but for what is in them.
    let unnamed = |value: Val<'_>| Cell { sample: None, object: true, ..of(ask(&value), &Val::Null) };
    for duration in durations(&constants) {
        add(unnamed(Val::Duration(duration)));
    }
    for list in [Val::List(Vec::new()), Val::List(vec![None]), Val::List(vec![Some(Val::Null)])] {
        for answers in free(ask(&list), questions, Question::reads_list)? {
            add(Cell { answers, ..unnamed(list.clone()) });
        }
    }
    for answers in free(ask(&Val::Time(Time::from_nanos(0))), questions, Question::reads_list)? {
        add(Cell { answers, ..unnamed(Val::Time(Time::from_nanos(0))) });
    }
    Some(found)
}

/// The cell of a value that is known.
pub(super) fn known(questions: &[Question], value: &Est<'_>) -> Cell {
    let answers = questions.iter().map(|question| question.ask(value.as_ref().map(Val::view))).collect();
    Cell {
        answers,
        sample: Some(value.as_ref().and_then(Val::to_json)),
        absent: value.is_none(),
        object: matches!(value, Some(Val::Json(_) | Val::Map(_))),
    }
}

/// A text that no contract compares with.
const OTHER: &str = "\u{fffd}another";

fn of(answers: Vec<Truth>, value: &Val<'_>) -> Cell {
    let object = matches!(value, Val::Json(_));
    Cell { answers, sample: value.to_json().map(Some), absent: false, object }
}

/// The answers, with every combination of those that are free. Whether a text is found in a list may also be in doubt.
fn free(answers: Vec<Truth>, questions: &[Question], is_free: fn(&Question) -> bool) -> Option<Vec<Vec<Truth>>> {
    let free: Vec<usize> =
        questions.iter().enumerate().filter(|(_, question)| is_free(question)).map(|(index, _)| index).collect();
    if free.len() > FREE {
        return None;
    }
    let lists = free.iter().all(|index| questions.get(*index).is_some_and(Question::reads_list));
    let values: &[Truth] =
        if lists { &[Truth::False, Truth::True, Truth::Unknown] } else { &[Truth::False, Truth::True] };
    Some(free.into_iter().fold(vec![answers], |all, index| {
        all.into_iter()
            .flat_map(|answers| {
                values.iter().map(move |value| {
                    let mut answers = answers.clone();
                    if let Some(answer) = answers.get_mut(index) {
                        *answer = *value;
                    }
                    answers
                })
            })
            .collect()
    }))
}

fn texts<'l>(constants: &[&'l Literal]) -> Vec<&'l str> {
    let mut texts: Vec<&str> = constants
        .iter()
        .filter_map(|literal| match literal {
            Literal::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}

/// Each constant, and a number in each gap between them. `None` where a gap has none that can be written.
fn numbers(constants: &[&Literal]) -> Option<Vec<Decimal>> {
    let mut points: Vec<Decimal> = constants
        .iter()
        .filter_map(|literal| match literal {
            Literal::Number(number) => Some(*number),
            _ => None,
        })
        .collect();
    points.sort_unstable();
    points.dedup();
    let (Some(first), Some(last)) = (points.first().copied(), points.last().copied()) else {
        return Some(vec![Decimal::from(1_u32)]);
    };
    let one = Decimal::from(1_u32);
    let between = points.windows(2).map(|pair| match pair {
        [low, high] => middle(*low, *high),
        _ => None,
    });
    let gaps: Vec<Decimal> = between.collect::<Option<_>>()?;
    let ends = [first.checked_sub(one)?, last.checked_add(one)?];
    Some(points.into_iter().chain(gaps).chain(ends).collect())
}

/// A number between two: an integer if there is one.
fn middle(low: Decimal, high: Decimal) -> Option<Decimal> {
    let next = low.checked_add(Decimal::from(1_u32))?;
    if next < high {
        return Some(next);
    }
    let middle = low.checked_add(high)?.checked_mul(Decimal::from_parts(5, 1))?;
    (low < middle && middle < high).then_some(middle)
}

fn durations(constants: &[&Literal]) -> Vec<Duration> {
    let mut points: Vec<i128> = vec![0];
    for literal in constants {
        if let Literal::Duration(duration) = literal {
            let at = duration.as_nanos();
            points.extend([at.saturating_sub(1), at, at.saturating_add(1)]);
        }
    }
    points.sort_unstable();
    points.dedup();
    points.into_iter().map(Duration::from_nanos).collect()
}

/// Whether the answers of all questions about a variable are those of values that can be written down.
pub(super) fn is_plain(questions: &[Question]) -> bool {
    questions.iter().all(|question| match question {
        Question::Holds | Question::Has | Question::Is(_) => true,
        Question::Compare(comparison, Literal::Text(_)) => {
            matches!(comparison, Comparison::Equal | Comparison::NotEqual)
        }
        Question::Compare(_, Literal::Null | Literal::Bool(_) | Literal::Number(_)) => true,
        _ => false,
    })
}
