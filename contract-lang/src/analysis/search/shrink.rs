//! Makes a session as plain as it can be without showing something else.

use serde_json::Value;

use crate::trace::{Body, Line};

/// Most sessions that are tried.
const MOST: usize = 400;

/// Drops lines, then members of arguments and results, as long as the session still shows the same.
pub(in crate::analysis) fn shrink(mut lines: Vec<Line>, same: &dyn Fn(&[Line]) -> bool) -> Vec<Line> {
    let mut tries = MOST;
    let mut holds = |lines: &[Line]| {
        let some = tries > 0;
        tries = tries.saturating_sub(1);
        some && same(lines)
    };
    let mut place = lines.len();
    while let Some(before) = place.checked_sub(1) {
        place = before;
        if let Some(fewer) = without(&lines, place).filter(|fewer| holds(fewer)) {
            place = place.min(fewer.len());
            lines = fewer;
        }
    }
    for index in 0..lines.len() {
        for path in paths(&lines, index) {
            let mut plainer = lines.clone();
            if drop_at(&mut plainer, index, &path) && holds(&plainer) {
                lines = plainer;
            }
        }
    }
    numbered(lines)
}

/// The session without a line, and without the result of the call that it makes.
fn without(lines: &[Line], place: usize) -> Option<Vec<Line>> {
    let gone = match &lines.get(place)?.body {
        Body::Call(call, _) => Some(call.id.clone()),
        Body::Context(_) | Body::Event { .. } | Body::Result(..) => None,
        Body::End => return None,
    };
    let orphan = |line: &Line| matches!((&line.body, &gone), (Body::Result(id, _), Some(gone)) if id == gone);
    let kept = lines.iter().enumerate().filter(|(index, line)| *index != place && !orphan(line));
    Some(kept.map(|(_, line)| line.clone()).collect())
}

/// Where members stand that may be dropped: `true` for those of arguments.
fn paths(lines: &[Line], index: usize) -> Vec<(bool, Vec<String>)> {
    let mut all = Vec::new();
    let mut add = |of: bool, value: &Value| {
        for (name, inner) in value.as_object().into_iter().flatten() {
            all.push((of, vec![name.clone()]));
            let names = inner.as_object().into_iter().flat_map(|object| object.keys());
            all.extend(names.map(|below| (of, vec![name.clone(), below.clone()])));
        }
    };
    match lines.get(index).map(|line| &line.body) {
        Some(Body::Call(call, result)) => {
            add(true, &call.args);
            if let Some(value) = result.as_ref().and_then(|result| result.value.as_ref()) {
                add(false, value);
            }
        }
        Some(Body::Result(_, result)) => result.value.iter().for_each(|value| add(false, value)),
        Some(Body::Event { value, .. }) => add(false, value),
        _ => {}
    }
    all
}

fn drop_at(lines: &mut [Line], index: usize, (args, path): &(bool, Vec<String>)) -> bool {
    let value = match (lines.get_mut(index).map(|line| &mut line.body), args) {
        (Some(Body::Call(call, _)), true) => Some(&mut call.args),
        (Some(Body::Call(_, Some(result)) | Body::Result(_, result)), false) => result.value.as_mut(),
        (Some(Body::Event { value, .. }), false) => Some(value),
        _ => None,
    };
    let Some((last, parents)) = path.split_last() else { return false };
    let parent = value.and_then(|value| parents.iter().try_fold(value, |value, name| value.get_mut(name)));
    parent.and_then(Value::as_object_mut).is_some_and(|object| object.remove(last).is_some())
}

/// Numbers the calls from 1.
fn numbered(mut lines: Vec<Line>) -> Vec<Line> {
    let mut known: Vec<String> = Vec::new();
    let mut place = |id: &str| {
        let found = known.iter().position(|known| known == id);
        let place = found.unwrap_or_else(|| {
            known.push(id.to_owned());
            known.len().saturating_sub(1)
        });
        format!("c{}", place.saturating_add(1))
    };
    for line in &mut lines {
        match &mut line.body {
            Body::Call(call, _) => call.id = place(&call.id),
            Body::Result(id, _) => *id = place(id),
            _ => {}
        }
    }
    lines
}
