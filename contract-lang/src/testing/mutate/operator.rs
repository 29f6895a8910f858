//! The kinds of small changes that tests should notice.

macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $means:literal;)*) => {
        /// A kind of change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Operator { $(#[doc = $means] $name,)* }

        impl Operator {
            /// All, in the order in which they are documented.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Its name.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// What it changes.
            #[must_use]
            pub fn means(self) -> &'static str {
                match self { $(Self::$name => $means,)* }
            }
        }
    };
}

operators! {
    Rule = "rule", "drops a rule";
    Commit = "commit", "drops a commit, or one change of it";
    Bind = "bind", "`bind` becomes `set`, and `set` becomes `bind`";
    Clause = "clause", "drops a clause, an operand of `and` or `or`, a `where`, `when`, `unless`, `succeeds_when`, or an item of a list";
    Alternative = "alternative", "drops an alternative of a pattern";
    Negate = "negate", "negates a predicate";
    Connective = "connective", "`and` becomes `or`, `all` becomes `any`, and back; drops an operator of a formula";
    Comparison = "comparison", "`<` becomes `<=`, `>=` becomes `>`, `==` becomes `!=`, and back";
    Constant = "constant", "a number in an expression becomes one more or one less, a text another, a truth value the other";
    Bound = "bound", "`n`, `limit`, `gap`, `window`, `within`, `expires`, `fresh`, `idle`, `min_length`: one more or one less";
    Phase = "phase", "a pattern speaks of another phase: `call`, `ok` or `done`";
    Swap = "swap", "swaps two patterns of a rule, or two steps of a sequence";
    Field = "field", "drops `consume`, `restart`, `expires`, `void_on`, `close_on`, `reset_on`, `guards`, `count`, `missing`, `within`, `window`, `forbid` or `needs` of `between`, `values`, `fresh`, `idle`, `when_full`";
    Action = "action", "a violation is only reported";
    Decide = "decide", "a decision of `decide`, `default`, `undeclared` or `on_error` becomes one step looser";
    Normaliser = "normaliser", "drops `lower`, `trim`, `path_norm`, and other functions of one text";
    Key = "key", "drops a key, or one component of it";
}
