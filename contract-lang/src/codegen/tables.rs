//! Constants of generated code: machines, decision tables, descriptions.

use proc_macro2::{Ident, Literal as Token, TokenStream};
use quote::{format_ident, quote};

use contract_runtime::private::Bounds;
use contract_runtime::{
    ByEffect, Colour, Decision, DecisionTable, DefaultPolicy, Effect, Mode, Severity, Type, WhenFull,
};

use contract_runtime::info::Vocabulary;

use super::{literal, register};
use crate::info;
use crate::mir::{Contract, Kind, Machine, Message, Root, Rule, Segment, StateCell, Step};

/// An effect as a constant expression.
pub(super) fn effect(effect: Effect) -> TokenStream {
    let name = format_ident!("{effect:?}");
    quote! { __p::Effect::#name }
}

/// A decision as a constant expression.
pub(super) fn decision(decision: Decision) -> TokenStream {
    let name = format_ident!("{decision:?}");
    quote! { __p::Decision::#name }
}

fn by_effect(row: ByEffect<Decision>) -> TokenStream {
    let [read, write, irreversible] = [row.read, row.write, row.irreversible].map(decision);
    if row.read == row.write && row.write == row.irreversible {
        return quote! { __p::ByEffect::all(#read) };
    }
    quote! { __p::ByEffect { read: #read, write: #write, irreversible: #irreversible } }
}

fn table(table: &DecisionTable) -> TokenStream {
    if *table == DecisionTable::STANDARD {
        return quote! { __p::DecisionTable::STANDARD };
    }
    let [satisfied, open, pending, unestablished, violated] =
        [table.satisfied, table.open, table.pending, table.unestablished, table.violated].map(by_effect);
    quote! {
        __p::DecisionTable {
            satisfied: #satisfied,
            open: #open,
            pending: #pending,
            unestablished: #unestablished,
            violated: #violated,
        }
    }
}

fn mode(mode: Mode) -> TokenStream {
    match mode {
        Mode::Enforce => quote! { __p::Mode::Enforce },
        Mode::Shadow => quote! { __p::Mode::Shadow },
    }
}

/// The contract's default as a constant expression.
pub(super) fn default_policy(policy: &DefaultPolicy) -> TokenStream {
    let (row, strict) = (by_effect(policy.by_effect), policy.strict);
    quote! { __p::DefaultPolicy { by_effect: #row, strict: #strict } }
}

/// The name of a rule's machine.
pub(super) fn machine_name(index: usize) -> Ident {
    format_ident!("MACHINE_{index}")
}

fn machine(index: usize, machine: &Machine) -> TokenStream {
    let name = machine_name(index);
    let (width, initial) = (machine.width, machine.initial);
    let colours = machine.colours.iter().map(|colour| match colour {
        Colour::Satisfied => quote! { __p::Colour::Satisfied },
        Colour::Open => quote! { __p::Colour::Open },
        Colour::Pending => quote! { __p::Colour::Pending },
        Colour::Violated => quote! { __p::Colour::Violated },
    });
    let stricter = machine.stricter.iter().map(|states| Token::u64_unsuffixed(*states));
    let delta = machine.delta.iter().map(|state| Token::u8_unsuffixed(*state));
    quote! {
        static #name: __p::Machine<'static> = __p::Machine {
            width: #width,
            initial: #initial,
            colours: &[#(#colours),*],
            delta: &[#(#delta),*],
            stricter: &[#(#stricter),*],
        };
    }
}

/// The memory bound of a rule as an expression.
pub(super) fn bounds(bounds: Bounds) -> TokenStream {
    let Bounds { max, evicts, idle, remember } = bounds;
    let idle = match idle {
        Some(idle) => {
            let idle = literal::duration(idle);
            quote! { __p::Some(#idle) }
        }
        None => quote! { __p::None },
    };
    quote! { __p::Bounds { max: #max, evicts: #evicts, idle: #idle, remember: #remember } }
}

/// A path into arguments, as the runtime walks it.
pub(super) fn args_path(steps: &[Step]) -> TokenStream {
    path(steps, &quote! { __p::ArgStep })
}

/// A path into a result, as the runtime walks it.
pub(super) fn result_path(steps: &[Step]) -> TokenStream {
    path(steps, &quote! { __p::RedactStep })
}

fn path(steps: &[Step], of: &TokenStream) -> TokenStream {
    let steps = steps.iter().filter_map(|step| match step {
        Step::Field(name) => Some(quote! { #of::Field(#name) }),
        Step::Index(index) => Some(quote! { #of::Index(#index) }),
        Step::Each => Some(quote! { #of::Each }),
        Step::Deep => Some(quote! { #of::Deep }),
        Step::Dynamic(_) => None,
    });
    quote! { &[#(#steps),*] }
}

fn message(message: Option<&Message>) -> TokenStream {
    let Some(message) = message else { return quote! { __p::None } };
    let segments = message.segments.iter().map(|segment| match segment {
        Segment::Text(text) => quote! { __p::Segment::Text(__p::Cow::Borrowed(#text)) },
        Segment::Key => quote! { __p::Segment::Key },
        Segment::Tool => quote! { __p::Segment::Tool },
        Segment::Path(path) => {
            let root = match path.root {
                Root::Result => quote! { __p::Root::Result },
                Root::Event => quote! { __p::Root::Event },
                _ => quote! { __p::Root::Args },
            };
            let steps = path.steps.iter().filter_map(|step| match step {
                Step::Field(name) => Some(quote! { __p::MessageStep::Field(__p::Cow::Borrowed(#name)) }),
                Step::Index(index) => Some(quote! { __p::MessageStep::Index(#index) }),
                Step::Dynamic(_) | Step::Each | Step::Deep => None,
            });
            quote! { __p::Segment::Path(#root, __p::Cow::Borrowed(&[#(#steps),*])) }
        }
    });
    quote! { __p::Some(__p::Message { segments: __p::Cow::Borrowed(&[#(#segments),*]) }) }
}

fn when_full(rule: &Rule) -> TokenStream {
    match rule.per.as_ref().map(|keyed| keyed.when_full) {
        Some(WhenFull::Alert) => quote! { __p::WhenFull::Alert },
        Some(WhenFull::Evict) => quote! { __p::WhenFull::Evict },
        Some(WhenFull::Block) | None => quote! { __p::WhenFull::Block },
    }
}

fn optional(text: Option<&str>) -> TokenStream {
    match text {
        Some(text) => quote! { __p::Some(__p::Cow::Borrowed(#text)) },
        None => quote! { __p::None },
    }
}

fn vocabulary(rule: &Rule) -> TokenStream {
    let Vocabulary { patterns, fresh, elusive, keyed, joint } = &info::vocabulary(rule);
    if patterns.is_empty() {
        return quote! { __p::Vocabulary::NONE };
    }
    let fresh = optional(fresh.as_deref());
    let joint = joint.iter().map(|letter| Token::u8_unsuffixed(*letter));
    quote! {
        __p::Vocabulary {
            patterns: __p::Cow::Borrowed(&[#(__p::Cow::Borrowed(#patterns)),*]),
            fresh: #fresh,
            elusive: #elusive,
            keyed: #keyed,
            joint: __p::Cow::Borrowed(&[#(#joint),*]),
        }
    }
}

fn rule_info(rule: &Rule) -> TokenStream {
    let (id, says, advice) = (&rule.id, &rule.says, &rule.advice);
    let (title, message) = (optional(rule.title.as_deref()), message(rule.message.as_ref()));
    let severity = match rule.severity {
        Severity::Info => quote!(Info),
        Severity::Low => quote!(Low),
        Severity::Medium => quote!(Medium),
        Severity::High => quote!(High),
        Severity::Critical => quote!(Critical),
    };
    let (clauses, tags) = (rule.clauses(), &rule.tags);
    let (mode, table, when_full) = (mode(rule.mode), table(&rule.table), when_full(rule));
    let (vocabulary, frees) = (vocabulary(rule), info::frees(rule));
    quote! {
        __p::RuleInfo {
            id: __p::Cow::Borrowed(#id),
            title: #title,
            severity: __p::Severity::#severity,
            message: #message,
            says: __p::Cow::Borrowed(#says),
            advice: __p::Cow::Borrowed(#advice),
            vocabulary: #vocabulary,
            clauses: __p::Cow::Borrowed(&[#(__p::Cow::Borrowed(#clauses)),*]),
            tags: __p::Cow::Borrowed(&[#(__p::Cow::Borrowed(#tags)),*]),
            mode: #mode,
            table: #table,
            when_full: #when_full,
            frees: #frees,
        }
    }
}

/// A type as an expression.
fn ty(of: &Type) -> TokenStream {
    match of {
        Type::Set(inner) => {
            let inner = ty(inner);
            quote! { __p::Type::Set(__p::boxed(#inner)) }
        }
        Type::Map(inner) => {
            let inner = ty(inner);
            quote! { __p::Type::Map(__p::boxed(#inner)) }
        }
        scalar => {
            let name = format_ident!("{scalar:?}");
            quote! { __p::Type::#name }
        }
    }
}

/// The constants of a contract.
pub(super) fn constants(contract: &Contract, patterns: &[String]) -> TokenStream {
    let count = contract.rules.len();
    let rules = contract.rules.iter().map(rule_info);
    let machines = contract.rules.iter().enumerate().filter_map(|(index, rule)| match &rule.kind {
        Kind::Automaton { machine: of, .. } => Some(machine(index, of)),
        _ => None,
    });
    let bounds = contract.rules.iter().enumerate().filter_map(|(index, rule)| register::bound(index, rule));
    let names = (0..patterns.len()).map(|index| format_ident!("PATTERN_{index}"));
    quote! {
        static RULES: [__p::RuleInfo; #count] = [#(#rules),*];
        #(#machines)*
        #(#bounds)*
        #(static #names: __p::Search = __p::Search::new(#patterns);)*
    }
}

/// The description of a contract, as an expression.
pub(super) fn info(contract: &Contract) -> TokenStream {
    let name = &contract.name;
    let mode = mode(contract.mode);
    let context = contract.context.iter().map(|(name, of)| {
        let of = ty(of);
        quote! { (__p::Cow::Borrowed(#name), #of) }
    });
    let cells = contract.cells.iter().map(cell);
    let (on_error, source) = (by_effect(contract.on_error), &contract.source);
    quote! {
        __p::ContractInfo {
            name: __p::Cow::Borrowed(#name),
            mode: #mode,
            rules: __p::Cow::Borrowed(&RULES),
            context: __p::list_of([#(#context),*]),
            cells: __p::list_of([#(#cells),*]),
            on_error: #on_error,
            source: __p::Cow::Borrowed(#source),
        }
    }
}

fn cell(cell: &StateCell) -> TokenStream {
    let (name, of, max, max_bytes) = (&cell.name, ty(&cell.ty), cell.max, cell.max_bytes);
    let fresh = match cell.fresh {
        Some(fresh) => {
            let fresh = literal::duration(fresh);
            quote! { __p::Some(#fresh) }
        }
        None => quote! { __p::None },
    };
    quote! {
        __p::CellInfo {
            name: __p::Cow::Borrowed(#name),
            ty: #of,
            max: #max,
            max_bytes: #max_bytes,
            fresh: #fresh,
        }
    }
}

/// The values that the cells start with, as an expression.
pub(super) fn initial(contract: &Contract) -> TokenStream {
    let values = contract.cells.iter().map(|cell| match &cell.initial {
        None => quote! { __p::None },
        Some(value) => {
            let (value, of, max_bytes) = (literal::literal(value), ty(&cell.ty), cell.max_bytes);
            quote! { __p::initial(#value, &#of, #max_bytes) }
        }
    });
    quote! { __p::State::new(__p::list_of([#(#values),*])) }
}
