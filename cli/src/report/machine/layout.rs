//! Where the states and edges of an automaton go: layers from left to right by their distance from the start, as Sugiyama, Tagawa and
//! Toda draw hierarchies ("Methods for visual understanding of hierarchical system structures", IEEE SMC 11(2), 1981), without their
//! dummy nodes: automata of rules are small, and what skips a layer or goes back takes a bow around it.
//!
//! Floating-point numbers are written with one digit after the point, so the same automaton is the same drawing on any machine.

use super::graph::Graph;

pub(super) const RADIUS: f64 = 21.0;
const ROW: f64 = 104.0;
const LINE: f64 = 13.0;
/// A character of a label.
const ADVANCE: f64 = 6.7;
/// The most letters that stand at an edge, and the most characters of one.
const MOST_LETTERS: usize = 3;
const LONGEST_LETTER: usize = 30;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

impl Point {
    fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// The point on the rim of a state's circle, in the direction of another.
    fn rim(self, towards: Self, radius: f64) -> Self {
        let (x, y) = (towards.x - self.x, towards.y - self.y);
        let length = x.hypot(y).max(1.0);
        Self::new(self.x + x / length * radius, self.y + y / length * radius)
    }
}

/// An edge: a cubic curve, its label and where the label goes.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    pub(super) between: (usize, usize),
    pub(super) points: [Point; 4],
    pub(super) label: Point,
    pub(super) lines: Vec<String>,
}

/// A drawing.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) states: Vec<Point>,
    pub(super) curves: Vec<Curve>,
    /// The upper left corner, and the size.
    pub(super) corner: Point,
    pub(super) size: Point,
}

/// Lays an automaton out.
pub(super) fn lay_out(graph: &Graph) -> Layout {
    let layers = layers(graph);
    let states = positions(graph, &layers);
    let curves: Vec<Curve> = graph
        .edges
        .iter()
        .filter(|((from, to), _)| from != to || !graph.is_sink(*from))
        .filter_map(|(between, letters)| curve(graph, &layers, &states, *between, lines(letters)))
        .collect();
    let (corner, size) = bounds(&states, &curves);
    Layout { states, curves, corner, size }
}

/// The letters of an edge, one a line.
fn lines(letters: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = letters
        .iter()
        .take(MOST_LETTERS)
        .map(|letter| match letter.chars().nth(LONGEST_LETTER) {
            None => letter.clone(),
            Some(_) => letter.chars().take(LONGEST_LETTER.saturating_sub(1)).chain(['…']).collect(),
        })
        .collect();
    match letters.len().saturating_sub(MOST_LETTERS) {
        0 => {}
        more => lines.push(format!("and {more} more")),
    }
    lines
}

fn width(lines: &[String]) -> f64 {
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or_default();
    float(longest) * ADVANCE
}

/// A small count as a number to calculate with.
fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// The states of each layer, from top to bottom. What is violated is at the far end, below the rest.
fn layers(graph: &Graph) -> Vec<Vec<usize>> {
    let distances = graph.distances();
    let violated = |state: usize| graph.states.get(state) == Some(&"violated");
    let reached = distances.iter().copied().enumerate().filter(|(_, distance)| *distance != usize::MAX);
    let reached: Vec<_> = reached.collect();
    let last = reached.iter().map(|(_, distance)| *distance).max().unwrap_or_default();
    let mut layers: Vec<Vec<usize>> = vec![Vec::new(); last.saturating_add(1)];
    for (state, distance) in reached {
        if let Some(layer) = layers.get_mut(if violated(state) { last } else { distance }) {
            layer.push(state);
        }
    }
    // One sweep by barycentres is enough for so few states.
    for number in 1..layers.len() {
        let (before, rest) = layers.split_at_mut(number);
        let (Some(before), Some(layer)) = (before.last(), rest.first_mut()) else { continue };
        let weight = |state: usize| {
            let places = before.iter().enumerate().filter(|(_, from)| graph.edges.contains_key(&(**from, state)));
            let places: Vec<f64> = places.map(|(place, _)| float(place)).collect();
            if places.is_empty() { 0.0 } else { places.iter().sum::<f64>() / float(places.len()) }
        };
        layer.sort_by(|a, b| violated(*a).cmp(&violated(*b)).then(weight(*a).total_cmp(&weight(*b))).then(a.cmp(b)));
    }
    layers
}

fn layer_of(layers: &[Vec<usize>], state: usize) -> usize {
    layers.iter().position(|layer| layer.contains(&state)).unwrap_or_default()
}

fn positions(graph: &Graph, layers: &[Vec<usize>]) -> Vec<Point> {
    let mut states = vec![Point::default(); graph.states.len()];
    let tallest = layers.iter().map(Vec::len).max().unwrap_or(1);
    let mut x = 0.0;
    for (number, layer) in layers.iter().enumerate() {
        let top = (float(tallest) - float(layer.len())) * ROW / 2.0;
        for (place, state) in layer.iter().enumerate() {
            if let Some(point) = states.get_mut(*state) {
                *point = Point::new(x, top + float(place) * ROW);
            }
        }
        let next = number.saturating_add(1);
        let crossing = graph.edges.iter().filter(|((from, to), _)| {
            let (from, to) = (layer_of(layers, *from), layer_of(layers, *to));
            from.min(to) == number && from.max(to) == next
        });
        let widest = crossing.map(|(_, letters)| width(&lines(letters))).fold(0.0, f64::max);
        x += (widest + 74.0 + 2.0 * RADIUS).clamp(150.0, 320.0);
    }
    states
}

fn curve(
    graph: &Graph,
    layers: &[Vec<usize>],
    states: &[Point],
    between: (usize, usize),
    lines: Vec<String>,
) -> Option<Curve> {
    let (from, to) = (*states.get(between.0)?, *states.get(between.1)?);
    let height = float(lines.len()) * LINE;
    if between.0 == between.1 {
        let (low, high) = (from.y - RADIUS + 3.0, from.y - RADIUS - 30.0);
        let points = [
            Point::new(from.x - 9.0, low),
            Point::new(from.x - 22.0, high),
            Point::new(from.x + 22.0, high),
            Point::new(from.x + 9.0, low),
        ];
        let label = Point::new(from.x, high + 2.0 - height / 2.0 + LINE / 2.0);
        return Some(Curve { between, points, label, lines });
    }
    let (start, end) = (layer_of(layers, between.0), layer_of(layers, between.1));
    let both_ways = graph.edges.contains_key(&(between.1, between.0));
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let (one, two, lift) = if start == end {
        let side = dy.signum() * (46.0 + dy.abs() * 0.22);
        (Point::new(from.x + side, from.y + dy * 0.2), Point::new(to.x + side, to.y - dy * 0.2), 0.0)
    } else {
        let skipped = float(start.abs_diff(end).saturating_sub(1));
        let bow = match (start < end, skipped > 0.0) {
            // Below the loops of the states that it passes, if it ends below them.
            (true, true) if dy > 0.0 => 52.0 * skipped + 48.0,
            (true, true) => -70.0 * skipped - 20.0,
            (true, false) if both_ways => -22.0,
            (true, false) => 0.0,
            (false, true) => 70.0 * skipped + 30.0,
            (false, false) => 26.0,
        };
        let lift = if bow > 0.0 { height / 2.0 + 2.0 } else { -height / 2.0 - 2.0 };
        (
            Point::new(from.x + dx * 0.34, from.y + dy * 0.1 + bow),
            Point::new(to.x - dx * 0.34, to.y - dy * 0.1 + bow),
            lift,
        )
    };
    let points = [from.rim(one, RADIUS + 1.0), one, two, to.rim(two, RADIUS + 3.0)];
    let [p0, p1, p2, p3] = points;
    let middle = |a: f64, b: f64, c: f64, d: f64| (a + 3.0 * b + 3.0 * c + d) / 8.0;
    let mut label = Point::new(middle(p0.x, p1.x, p2.x, p3.x), middle(p0.y, p1.y, p2.y, p3.y) + lift);
    if start == end {
        label.x += dy.signum() * (width(&lines) / 2.0 + 6.0);
    }
    label.y += LINE / 2.0 - 2.0;
    Some(Curve { between, points, label, lines })
}

fn bounds(states: &[Point], curves: &[Curve]) -> (Point, Point) {
    let mut low = Point::new(f64::MAX, f64::MAX);
    let mut high = Point::new(f64::MIN, f64::MIN);
    let mut include = |x: f64, y: f64| {
        low = Point::new(low.x.min(x), low.y.min(y));
        high = Point::new(high.x.max(x), high.y.max(y));
    };
    for state in states {
        include(state.x - RADIUS - 34.0, state.y - RADIUS - 4.0);
        include(state.x + RADIUS + 8.0, state.y + RADIUS + 20.0);
    }
    for curve in curves {
        // A curve stays within the hull of its points, and mostly well within.
        let [p0, p1, p2, p3] = curve.points;
        let middle = (p0.y + 3.0 * p1.y + 3.0 * p2.y + p3.y) / 8.0;
        include(curve.label.x, middle);
        let (half, height) = (width(&curve.lines) / 2.0 + 4.0, float(curve.lines.len()) * LINE / 2.0 + 5.0);
        include(curve.label.x - half, curve.label.y - height - 4.0);
        include(curve.label.x + half, curve.label.y + height);
    }
    (low, Point::new((high.x - low.x).max(1.0), (high.y - low.y).max(1.0)))
}
