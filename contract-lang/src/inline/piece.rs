//! Tokens one after the other, the brackets of groups among them.

use proc_macro2::{Delimiter, Spacing, Span, TokenStream, TokenTree};

/// A token, or a bracket of a group.
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) span: Span,
    pub(super) kind: Kind,
}

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier.
    Word,
    /// A number or a string.
    Literal,
    /// One character, and whether the next is glued to it.
    Sign(Spacing),
    /// An opening bracket.
    Open,
    /// A closing bracket.
    Close,
}

/// Takes groups apart. Comments that Rust makes attributes of are left out.
pub(super) fn flatten(tokens: TokenStream, pieces: &mut Vec<Piece>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                let inner = tokens.next_if(|next| matches!(next, TokenTree::Punct(sign) if sign.as_char() == '!'));
                if tokens.next_if(is_doc).is_some() {
                    continue;
                }
                for sign in [Some(TokenTree::Punct(sign)), inner].into_iter().flatten() {
                    pieces.push(Piece { text: sign.to_string(), span: sign.span(), kind: Kind::Sign(Spacing::Joint) });
                }
            }
            TokenTree::Punct(sign) => {
                let kind = Kind::Sign(sign.spacing());
                pieces.push(Piece { text: sign.as_char().to_string(), span: sign.span(), kind });
            }
            TokenTree::Ident(word) => {
                pieces.push(Piece { text: word.to_string(), span: word.span(), kind: Kind::Word });
            }
            TokenTree::Literal(literal) => {
                pieces.push(Piece { text: literal.to_string(), span: literal.span(), kind: Kind::Literal });
            }
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    // What a macro put in; it has no brackets.
                    Delimiter::None => {
                        flatten(group.stream(), pieces);
                        continue;
                    }
                };
                pieces.push(Piece { text: open.to_owned(), span: group.span_open(), kind: Kind::Open });
                flatten(group.stream(), pieces);
                pieces.push(Piece { text: close.to_owned(), span: group.span_close(), kind: Kind::Close });
            }
        }
    }
}

/// `[doc = "…"]`
fn is_doc(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else { return false };
    let first = group.stream().into_iter().next();
    group.delimiter() == Delimiter::Bracket && matches!(first, Some(TokenTree::Ident(word)) if word == "doc")
}
