//! Checked expressions as Rust: nested calls of the runtime's operations.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::literal::{function_name, literal};
use crate::mir::{Arithmetic, CallFact, Comparison, Expr, Function, JsonType, Path, Quantifier, Root, Step};

/// Emits the expressions of one function. Paths into arguments and results are read once, at its top.
#[derive(Debug)]
pub(super) struct Expressions<'p> {
    place: Place,
    hoisted: RefCell<BTreeMap<(Source, Vec<String>), Ident>>,
    patterns: &'p RefCell<Vec<String>>,
}

/// What a function is about: it has nothing to read of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A call, or its result.
    Call,
    /// A host event.
    Event,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Args,
    Result,
    Event,
}

impl Source {
    fn of(root: Root) -> Option<Self> {
        match root {
            Root::Args => Some(Self::Args),
            Root::Result => Some(Self::Result),
            Root::Event => Some(Self::Event),
            Root::State(_) | Root::Context(_) | Root::Call(_) | Root::Variable(_) => None,
        }
    }

    fn place(self) -> Place {
        match self {
            Self::Args | Self::Result => Place::Call,
            Self::Event => Place::Event,
        }
    }
}

impl<'p> Expressions<'p> {
    /// For one function; all functions of a type share the list of its regular expressions.
    pub(super) fn new(place: Place, patterns: &'p RefCell<Vec<String>>) -> Self {
        Self { place, patterns, hoisted: RefCell::default() }
    }

    /// For a block with reads of its own.
    pub(super) fn apart(&self) -> Self {
        Self::new(self.place, self.patterns)
    }

    /// The reads that belong at the top of the function.
    pub(super) fn reads(&self) -> TokenStream {
        let hoisted = self.hoisted.borrow();
        let reads = hoisted.iter().map(|((source, steps), name)| match source {
            Source::Args => quote! { let #name = __p::get(call.args, &[#(#steps),*]); },
            Source::Result => quote! { let #name = __p::get_in(result, &[#(#steps),*]); },
            Source::Event => quote! { let #name = __p::get(event.value, &[#(#steps),*]); },
        });
        quote! { #(#reads)* }
    }

    /// A predicate: an expression of type `Truth`, with its own fuel.
    pub(super) fn predicate(&self, expr: &Expr) -> TokenStream {
        with_fuel(expr, self.truth(expr))
    }

    /// A value: an expression of type `Est`, with its own fuel.
    pub(super) fn value(&self, expr: &Expr) -> TokenStream {
        with_fuel(expr, self.est(expr))
    }

    /// The JSON value at a plain path into arguments, result or event, as an expression of type `Option<&Value>`.
    pub(super) fn json(&self, expr: &Expr) -> Option<TokenStream> {
        let Expr::Path(path) = expr else { return None };
        let source = Source::of(path.root)?;
        let field = |step: &Step| match step {
            Step::Field(name) => Some(name.clone()),
            _ => None,
        };
        let names: Vec<String> = path.steps.iter().map(field).collect::<Option<_>>()?;
        Some(self.hoist(source, names))
    }

    fn truth(&self, expr: &Expr) -> TokenStream {
        let est = |expr: &Expr| self.est(expr);
        match expr {
            Expr::Not(inner) => {
                let inner = self.truth(inner);
                quote! { __p::not(#inner) }
            }
            Expr::And(list) => self.chain(list, &quote!(and)),
            Expr::Or(list) => self.chain(list, &quote!(or)),
            Expr::Implies(left, right) => {
                let (left, right) = (self.truth(left), self.truth(right));
                quote! { __p::or(__p::not(#left), || #right) }
            }
            Expr::Compare(comparison, left, right) => {
                let name = match comparison {
                    Comparison::Equal => quote!(eq),
                    Comparison::NotEqual => quote!(ne),
                    Comparison::Less => quote!(lt),
                    Comparison::LessOrEqual => quote!(le),
                    Comparison::Greater => quote!(gt),
                    Comparison::GreaterOrEqual => quote!(ge),
                };
                let (left, right) = (est(left), est(right));
                quote! { __p::#name(&fuel, #left, #right) }
            }
            Expr::In(item, list) => {
                let (item, list) = (est(item), est(list));
                quote! { __p::is_in(&fuel, #item, #list) }
            }
            Expr::Like(text, glob) => {
                let text = est(text);
                quote! { __p::like(&fuel, #text, #glob) }
            }
            Expr::Matches(text, pattern) => {
                let (text, pattern) = (est(text), self.pattern(pattern));
                quote! { __p::search(&fuel, #text, &#pattern) }
            }
            Expr::Has(path) => {
                let path = self.path(path);
                quote! { __p::Truth::of(__p::walk::has(#path)) }
            }
            Expr::Is(kind, inner) => {
                let name = match kind {
                    JsonType::String => quote!(is_string),
                    JsonType::Object => quote!(is_object),
                    JsonType::List => quote!(is_list),
                    JsonType::Number => quote!(is_number),
                    JsonType::Bool => quote!(is_bool),
                };
                let inner = est(inner);
                quote! { __p::#name(#inner) }
            }
            Expr::Quantified { quantifier, slot, list, body } if *quantifier != Quantifier::Count => {
                let name = match quantifier {
                    Quantifier::All => quote!(all),
                    Quantifier::Any => quote!(any),
                    Quantifier::None | Quantifier::Count => quote!(none),
                };
                let (variable, list, body) = (variable(*slot), est(list), self.truth(body));
                quote! { __p::#name(&fuel, #list, |#variable: __p::Est<'_>| #body) }
            }
            Expr::Call(function, args) if function.is_predicate() => {
                let name = function_name(*function);
                let args = args.iter().map(est);
                quote! { __p::#name(&fuel, #(#args),*) }
            }
            other => {
                let value = self.est(other);
                quote! { __p::truth(#value) }
            }
        }
    }

    fn chain(&self, list: &[Expr], operator: &TokenStream) -> TokenStream {
        let mut parts = list.iter().map(|expr| self.truth(expr));
        let first = parts.next().unwrap_or_else(|| quote! { __p::Truth::True });
        parts.fold(first, |left, right| quote! { __p::#operator(#left, || #right) })
    }

    fn est(&self, expr: &Expr) -> TokenStream {
        match expr {
            Expr::Literal(value) => {
                let value = literal(value);
                quote! { __p::Some(#value) }
            }
            Expr::List(items) => {
                let items = items.iter().map(|item| self.est(item));
                quote! { __p::list([#(#items),*]) }
            }
            Expr::Path(path) => self.path(path),
            Expr::Select(inner, steps) => {
                let inner = self.est(inner);
                self.walk(inner, steps)
            }
            Expr::Now => quote! { __p::Some(__p::Val::Time(now)) },
            Expr::Arithmetic(operator, left, right) => {
                let name = match operator {
                    Arithmetic::Add => quote!(add),
                    Arithmetic::Subtract => quote!(subtract),
                    Arithmetic::Multiply => quote!(multiply),
                };
                let (left, right) = (self.est(left), self.est(right));
                quote! { __p::#name(&fuel, #left, #right) }
            }
            Expr::Quantified { quantifier: Quantifier::Count, slot, list, body } => {
                let (variable, list, body) = (variable(*slot), self.est(list), self.truth(body));
                quote! { __p::count(&fuel, #list, |#variable: __p::Est<'_>| #body) }
            }
            Expr::Call(function, args) if !function.is_predicate() => self.call(*function, args),
            predicate => {
                let truth = self.truth(predicate);
                quote! { __p::from_truth(#truth) }
            }
        }
    }

    fn call(&self, function: Function, args: &[Expr]) -> TokenStream {
        let name = function_name(function);
        let values: Vec<TokenStream> = args.iter().map(|arg| self.est(arg)).collect();
        match function {
            Function::Min | Function::Max => quote! { __p::#name(&fuel, __p::vec([#(#values),*])) },
            Function::Time => match values.as_slice() {
                [text] => quote! { __p::time(&fuel, #text, __p::None) },
                [text, zone, ..] => quote! { __p::time(&fuel, #text, __p::Some(#zone)) },
                [] => quote! { __p::None },
            },
            Function::Default => quote! { __p::default_(#(#values),*) },
            _ => quote! { __p::#name(&fuel, #(#values),*) },
        }
    }

    fn path(&self, path: &Path) -> TokenStream {
        let source = match path.root {
            Root::Args => Source::Args,
            Root::Result => Source::Result,
            Root::Event => Source::Event,
            Root::Call(_) if self.place == Place::Event => return self.walk(quote! { __p::None }, &path.steps),
            Root::State(cell) => return self.walk(quote! { self.state.read(#cell) }, &path.steps),
            Root::Context(fact) => return self.walk(quote! { context.read(#fact) }, &path.steps),
            Root::Variable(slot) => {
                let variable = variable(slot);
                return self.walk(quote! { __p::copied(&#variable) }, &path.steps);
            }
            Root::Call(fact) => {
                let fact = match fact {
                    CallFact::Tool => quote! { __p::Some(__p::text(call.tool)) },
                    CallFact::Server => quote! { call.server.map(__p::text) },
                    CallFact::Agent => quote! { call.agent.map(__p::text) },
                    CallFact::Batch => quote! { call.batch.map(__p::number) },
                };
                return self.walk(fact, &path.steps);
            }
        };
        let names: Vec<String> = path
            .steps
            .iter()
            .map_while(|step| match step {
                Step::Field(name) => Some(name.clone()),
                _ => None,
            })
            .collect();
        let rest = path.steps.get(names.len()..).unwrap_or_default();
        let name = self.hoist(source, names);
        self.walk(quote! { #name.map(__p::Val::from_json) }, rest)
    }

    /// A read at the top of the function, as an expression of type `Option<&Value>`.
    fn hoist(&self, source: Source, names: Vec<String>) -> TokenStream {
        if source.place() != self.place {
            return quote! { __p::None::<&__p::Value> };
        }
        let root = match source {
            Source::Args => "args",
            Source::Result => "result",
            Source::Event => "event",
        };
        let mut hoisted = self.hoisted.borrow_mut();
        let number = hoisted.len();
        let words: String = names.iter().map(|name| format!("_{}", super::names::snake(name))).collect();
        let name = format_ident!("{root}_{number}{words}");
        let name = hoisted.entry((source, names)).or_insert(name);
        quote! { #name }
    }

    fn walk(&self, from: TokenStream, steps: &[Step]) -> TokenStream {
        if steps.iter().any(Step::is_many) {
            let steps = steps.iter().map(|step| match step {
                Step::Field(name) => quote! { __p::walk::Step::Field(#name) },
                Step::Index(index) => quote! { __p::walk::Step::Index(#index) },
                Step::Dynamic(expr) => {
                    let expr = self.est(expr);
                    quote! { __p::walk::Step::Dynamic(#expr) }
                }
                Step::Each => quote! { __p::walk::Step::Each },
                Step::Deep => quote! { __p::walk::Step::Deep },
            });
            return quote! { __p::walk::path(&fuel, #from, &[#(#steps),*]) };
        }
        steps.iter().fold(from, |value, step| match step {
            Step::Field(name) => quote! { __p::walk::field(#value, #name) },
            Step::Index(index) => quote! { __p::walk::index(#value, #index) },
            Step::Dynamic(expr) => {
                let expr = self.est(expr);
                quote! { __p::walk::dynamic(#value, #expr) }
            }
            Step::Each | Step::Deep => value,
        })
    }

    fn pattern(&self, text: &str) -> Ident {
        let mut patterns = self.patterns.borrow_mut();
        let index = patterns.iter().position(|known| known == text).unwrap_or_else(|| {
            patterns.push(text.to_owned());
            patterns.len().saturating_sub(1)
        });
        format_ident!("PATTERN_{index}")
    }
}

/// Whether the evaluation of an expression uses fuel, as emitted.
fn with_fuel(expr: &Expr, tokens: TokenStream) -> TokenStream {
    let mut spends = false;
    expr.visit(&mut |expr| {
        spends |= match expr {
            Expr::Compare(..)
            | Expr::In(..)
            | Expr::Like(..)
            | Expr::Matches(..)
            | Expr::Arithmetic(..)
            | Expr::Quantified { .. }
            | Expr::Call(..) => true,
            Expr::Path(path) | Expr::Has(path) => path.steps.iter().any(Step::is_many),
            Expr::Select(_, steps) => steps.iter().any(Step::is_many),
            _ => false,
        };
    });
    if spends {
        quote! { { let fuel = __p::Fuel::new(); #tokens } }
    } else {
        tokens
    }
}

pub(super) fn variable(slot: usize) -> Ident {
    format_ident!("item_{slot}")
}
