//! What to put between two tokens whose places are not known.
//!
//! Line breaks end statements, and they are gone. But no expression has two operands side by side: where a word or literal
//! follows one, a statement has ended. Signs are glued to what stands around them, so that `pay-verified` is one name.

use super::piece::{Kind, Piece};

/// Words that stand between two operands.
const BETWEEN: [&str; 7] = ["and", "or", "implies", "in", "like", "matches", "where"];

/// How far a statement is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// A key is next.
    #[default]
    Key,
    /// The key was; a value is next.
    Value,
    /// An operand was.
    Operand,
    /// An operand must follow.
    Operator,
}

/// Reads tokens and says what stands between them.
#[derive(Default)]
pub(super) struct Joints {
    phase: Phase,
    open: Vec<char>,
    previous: Option<Kind>,
}

impl Joints {
    /// Takes the next piece. Gives what to put before it.
    pub(super) fn next(&mut self, piece: &Piece) -> &'static str {
        let gap = self.before(piece);
        if gap == "\n" {
            self.phase = Phase::Key;
        }
        self.take(piece);
        gap
    }

    fn before(&self, piece: &Piece) -> &'static str {
        let operand = matches!(piece.kind, Kind::Word | Kind::Literal);
        let between = BETWEEN.contains(&piece.text.as_str());
        // In a rule, the field narrows all patterns; an inline condition says the same of the last.
        let field = piece.text == "where" && self.open.len() == 2;
        let block = self.in_block();
        match (self.phase, self.previous) {
            (Phase::Operand, _) if block && operand && (!between || field) => "\n",
            (Phase::Key, Some(Kind::Close)) if block => "\n",
            (_, Some(Kind::Word | Kind::Literal)) if operand => " ",
            (Phase::Value, _) if matches!(piece.kind, Kind::Sign(_)) && !matches!(piece.text.as_str(), "." | ":") => {
                " "
            }
            _ if piece.text == "{" => " ",
            _ => "",
        }
    }

    fn in_block(&self) -> bool {
        matches!(self.open.last(), None | Some('{'))
    }

    fn take(&mut self, piece: &Piece) {
        self.previous = Some(piece.kind);
        let sign = piece.text.as_str();
        match piece.kind {
            Kind::Open => {
                self.open.extend(sign.chars());
                self.phase = if sign == "{" { Phase::Key } else { Phase::Operator };
            }
            Kind::Close => {
                self.open.pop();
                self.phase = if sign == "}" { Phase::Key } else { Phase::Operand };
            }
            Kind::Word | Kind::Literal => {
                let expects = sign == "not" || BETWEEN.contains(&sign);
                self.phase = match self.phase {
                    Phase::Key => Phase::Value,
                    _ if expects => Phase::Operator,
                    _ => Phase::Operand,
                };
            }
            Kind::Sign(_) => {
                self.phase = match (self.phase, sign) {
                    (_, ";" | ",") if self.in_block() => Phase::Key,
                    // A key of several words.
                    (Phase::Key | Phase::Value, ".") => Phase::Key,
                    (Phase::Value, ":") => Phase::Value,
                    (Phase::Operator | Phase::Value, "*") | (Phase::Operand, "?") => Phase::Operand,
                    _ => Phase::Operator,
                };
            }
        }
    }
}
