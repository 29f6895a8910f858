//! Patterns as Rust: whether an event matches, as far as the tool's name does not decide it already.

use proc_macro2::TokenStream;
use quote::quote;

use super::expr::Expressions;
use crate::dispatch::Tool;
use crate::mir::{Alternative, Glob, Names, Pattern, Phases, Subject};

/// At which moment generated code looks at a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment<'c> {
    /// A call of the tool.
    Call(Tool<'c>),
    /// A result of the tool; `status` is in scope.
    Result(Tool<'c>),
    /// The same, before anybody has decided whether the result may be believed: conditions read the value as it came.
    Review(Tool<'c>),
    /// A host event.
    Event,
}

impl Moment<'_> {
    /// Whether a call has ended.
    fn is_result(self) -> bool {
        matches!(self, Self::Result(_) | Self::Review(_))
    }
}

/// What is known of a match when the code is generated.
#[derive(Clone, Debug)]
pub(super) enum Match {
    /// It never matches.
    Never,
    /// It always does.
    Always,
    /// It is decided at run time, by an expression of type `bool` (subjects) or `Truth` (patterns).
    When(TokenStream),
}

impl Match {
    /// As an expression of type `Truth`.
    pub(super) fn into_truth(self) -> TokenStream {
        match self {
            Self::Never => quote! { __p::Truth::False },
            Self::Always => quote! { __p::Truth::True },
            Self::When(truth) => truth,
        }
    }

    pub(super) fn is_never(&self) -> bool {
        matches!(self, Self::Never)
    }
}

fn glob(glob: &Glob, text: &TokenStream) -> TokenStream {
    let pattern = glob.as_str();
    if glob.is_literal() {
        quote! { #text == #pattern }
    } else {
        quote! { __p::glob_matches(#pattern, #text) }
    }
}

/// Whether the names cover a call of the tool.
pub(super) fn names(names: &Names, tool: Tool<'_>) -> Match {
    if !names.may_match(tool) {
        return Match::Never;
    }
    let tool = match tool {
        Tool::Named(_) => None,
        Tool::Other if names.tool.as_str() == "*" => None,
        Tool::Other => Some(glob(&names.tool, &quote!(call.tool))),
    };
    let server = names.server.as_ref().map(|server| {
        let test = glob(server, &quote!(server));
        quote! { call.server.is_some_and(|server| #test) }
    });
    match (tool, server) {
        (None, None) => Match::Always,
        (Some(test), None) | (None, Some(test)) => Match::When(test),
        (Some(tool), Some(server)) => Match::When(quote! { #tool && #server }),
    }
}

/// Whether the subject is the event's.
pub(super) fn subject(subject: &Subject, moment: Moment<'_>) -> Match {
    match (subject, moment) {
        (Subject::Tools(covered), Moment::Call(tool) | Moment::Result(tool) | Moment::Review(tool)) => {
            names(covered, tool)
        }
        (Subject::Effect(effect), Moment::Call(_) | Moment::Result(_) | Moment::Review(_)) => {
            let wanted = super::tables::effect(*effect);
            Match::When(quote! { effect == #wanted })
        }
        (Subject::Event(name), Moment::Event) => Match::When(glob(name, &quote!(event.name))),
        _ => Match::Never,
    }
}

fn phases(phases: Phases, moment: Moment<'_>) -> Match {
    match moment {
        Moment::Call(_) if phases.call => Match::Always,
        Moment::Event if phases.event => Match::Always,
        Moment::Result(_) | Moment::Review(_) if phases.ok && phases.failed && phases.unknown => Match::Always,
        Moment::Result(_) | Moment::Review(_) if phases.result() => {
            let bits = outcomes(phases);
            Match::When(quote! { reading.is(#bits) })
        }
        _ => Match::Never,
    }
}

/// The outcomes that phases name, as the runtime reads them.
pub(super) fn outcomes(phases: Phases) -> TokenStream {
    let bits = [
        (phases.ok, quote!(__p::Reading::OK)),
        (phases.failed, quote!(__p::Reading::FAILED)),
        (phases.unknown, quote!(__p::Reading::UNKNOWN)),
    ];
    let bits = bits.into_iter().filter_map(|(named, bit)| named.then_some(bit));
    quote! { #(#bits)|* }
}

fn alternative(alternative: &Alternative, moment: Moment<'_>, expressions: &Expressions<'_>) -> Match {
    let selects = match (phases(alternative.phases, moment), subject(&alternative.subject, moment)) {
        (Match::Never, _) | (_, Match::Never) => return Match::Never,
        (Match::Always, other) | (other, Match::Always) => other,
        (Match::When(one), Match::When(other)) => Match::When(quote! { #one && #other }),
    };
    let condition = alternative.condition.as_ref().map(|condition| {
        let predicate = expressions.predicate(condition);
        if matches!(moment, Moment::Result(_)) && condition.reads_result() {
            quote! { reading.condition(|| #predicate) }
        } else {
            predicate
        }
    });
    match (selects, condition) {
        (Match::Always, None) => Match::Always,
        (Match::Always, Some(condition)) => Match::When(condition),
        (Match::When(selects), None) => Match::When(quote! { __p::Truth::of(#selects) }),
        (Match::When(selects), Some(condition)) => {
            Match::When(quote! { if #selects { #condition } else { __p::Truth::False } })
        }
        (Match::Never, _) => Match::Never,
    }
}

/// Whether a pattern holds, as a `Truth`; of a result in one `reading` of how the call ended.
pub(super) fn holds(pattern: &Pattern, moment: Moment<'_>, expressions: &Expressions<'_>) -> Match {
    let mut found: Option<TokenStream> = None;
    for each in &pattern.alternatives {
        found = match (alternative(each, moment, expressions), found) {
            (Match::Never, found) => found,
            (Match::Always, None) => return Match::Always,
            (Match::Always, Some(left)) => Some(quote! { __p::or(#left, || __p::Truth::True) }),
            (Match::When(truth), None) => Some(truth),
            (Match::When(truth), Some(left)) => Some(quote! { __p::or({ #left }, || #truth) }),
        };
    }
    found.map_or(Match::Never, Match::When)
}

/// Whether a pattern holds, as a `Truth`, whatever the readings of a result.
pub(super) fn occurs(pattern: &Pattern, moment: Moment<'_>, expressions: &Expressions<'_>) -> Match {
    match holds(pattern, moment, expressions) {
        Match::When(truth) if moment.is_result() => Match::When(quote! { __p::occurs(status, |reading| #truth) }),
        found => found,
    }
}

/// Whether a pattern speaks of the event at all, conditions aside, as a `bool`. `wanted` selects the moments.
pub(super) fn mentions(pattern: &Pattern, moment: Moment<'_>, wanted: impl Fn(Phases) -> bool) -> Match {
    let mut tests = Vec::new();
    for alternative in pattern.alternatives.iter().filter(|alternative| wanted(alternative.phases)) {
        match subject(&alternative.subject, moment) {
            Match::Never => {}
            Match::Always => return Match::Always,
            Match::When(test) => tests.push(test),
        }
    }
    if tests.is_empty() { Match::Never } else { Match::When(quote! { #((#tests))||* }) }
}
