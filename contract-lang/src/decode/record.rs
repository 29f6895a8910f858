//! Records: mappings with fixed fields, declared once.

/// Declares a mapping with fixed fields: the struct, its decoder and its schema.
///
/// The literal names the record in messages. `= default` marks a list or mapping that may be left out (for the schema).
/// `and` adds what is made of the mapping as a whole.
macro_rules! record {
    (
        $(#[$meta:meta])*
        $what:literal struct $name:ident {
            $($(#[$field_meta:meta])* $field:ident: $ty:ty $(= $default:ident)?,)*
        }
        $(and { $(#[$whole_meta:meta])* $whole:ident: $whole_ty:ty })?
        $(check $check:path)?
    ) => {
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
        $(#[$meta])*
        pub struct $name {
            /// Where.
            #[cfg_attr(feature = "schema", schemars(skip))]
            pub span: $crate::source::Span,
            $($(#[$field_meta])* $(#[cfg_attr(feature = "schema", schemars($default))])? pub $field: $ty,)*
            $(
                $(#[$whole_meta])*
                #[cfg_attr(feature = "schema", schemars(skip))]
                pub $whole: $whole_ty,
            )?
        }

        impl $name {
            /// What it is called in messages.
            pub const WHAT: &'static str = $what;

            /// Its fields.
            pub const FIELDS: &'static [&'static str] = &[$($crate::decode::field_name(stringify!($field))),*];
        }

        impl $crate::decode::Record for $name {
            const HOME: (&'static str, &'static [&'static str]) = (Self::WHAT, Self::FIELDS);
        }

        impl $crate::decode::Decode for $name {
            fn decode(
                node: &$crate::syntax::yaml::Node,
                diagnostics: &mut $crate::diagnostic::Diagnostics,
            ) -> Option<Self> {
                let fields = $crate::decode::Fields::open(node, Self::WHAT, Self::FIELDS, diagnostics)?;
                fields.refuse_unknown(&[], diagnostics);
                $(let $field = fields.take(stringify!($field), diagnostics);)*
                $($check(&fields, diagnostics);)?
                Some(Self { span: node.span, $($field: $field?,)* $($whole: <$whole_ty>::of(node, diagnostics.expressions()),)? })
            }
        }
    };
}
pub(crate) use record;

/// Declares a kind of rule whose fields are fields of the rule itself: `require` and `call`.
///
/// The first field names the kind. Several kinds may have a field of one name; then its documentation is the same.
macro_rules! spread_record {
    (
        $(#[$meta:meta])*
        struct $name:ident {
            $($(#[$field_meta:meta])* $field:ident: $ty:ty,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$field_meta])* pub $field: $ty,)*
        }

        impl $crate::decode::InRule for $name {
            const BESIDE: &'static [&'static str] = &[$($crate::decode::field_name(stringify!($field))),*];
            const HOME: (&'static str, &'static [&'static str]) = ("", &[]);

            fn read(
                kind: &'static str,
                fields: &$crate::decode::Fields<'_>,
                diagnostics: &mut $crate::diagnostic::Diagnostics,
            ) -> Option<Self> {
                $(let $field = fields.beside(kind, stringify!($field), diagnostics);)*
                Some(Self { $($field: $field?,)* })
            }

            #[cfg(feature = "schema")]
            fn describe(kind: &'static str, generator: &mut schemars::SchemaGenerator, rule: &mut schemars::Schema) {
                #[derive(schemars::JsonSchema)]
                #[expect(dead_code, reason = "declares the schema; never built")]
                struct Fields {
                    $($(#[$field_meta])* $field: $ty,)*
                }
                let fields = <Fields as schemars::JsonSchema>::json_schema(generator);
                $crate::schema::spread(kind, fields, rule);
            }
        }
    };
}
pub(crate) use spread_record;

/// Declares the rule: its common fields, and its kinds, of which exactly one is written.
///
/// `with` names common fields that only some kinds have. The flat struct behind it exists only for the schema.
macro_rules! rule_record {
    (
        $(#[$meta:meta])*
        $what:literal struct $name:ident {
            $($(#[$field_meta:meta])* $field:ident: $ty:ty $(= $default:ident)?,)*
        }
        $(#[$kind_meta:meta])*
        enum $kind:ident {
            $($(#[$variant_meta:meta])* $key:ident: $variant:ident $(with $($with:ident),+)?,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            /// Where.
            pub span: $crate::source::Span,
            $($(#[$field_meta])* pub $field: $ty,)*
            /// Where the name of its kind is written.
            pub kind_span: $crate::source::Span,
            /// What it says.
            pub kind: $kind,
        }

        $(#[$kind_meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $kind {
            $($(#[$variant_meta])* $variant($variant),)*
        }

        impl $kind {
            /// The name of the kind in a contract.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => stringify!($key),)* }
            }

            /// What the kind means.
            pub(crate) fn template(&self) -> &dyn $crate::rule::Template {
                match self { $(Self::$variant(kind) => kind,)* }
            }
        }

        impl $name {
            /// What it is called in messages.
            pub const WHAT: &'static str = $what;

            /// The fields that a rule of any kind may have.
            pub const FIELDS: &'static [&'static str] = &[$($crate::decode::field_name(stringify!($field))),*];

            /// The kinds, each with the fields of the rule that belong to it.
            pub const KINDS: &'static [$crate::decode::RuleKind] = &[$($crate::decode::RuleKind {
                name: stringify!($key),
                beside: <$variant as $crate::decode::InRule>::BESIDE,
                with: &[$($(stringify!($with)),+)?],
            }),*];

            /// The places where fields can be.
            const HOMES: &'static [(&'static str, &'static [&'static str])] =
                &[(Self::WHAT, Self::FIELDS), $(<$variant as $crate::decode::InRule>::HOME),*];
        }

        impl $crate::decode::Decode for $name {
            fn decode(
                node: &$crate::syntax::yaml::Node,
                diagnostics: &mut $crate::diagnostic::Diagnostics,
            ) -> Option<Self> {
                let from = diagnostics.len();
                let fields = $crate::decode::Fields::open(node, Self::WHAT, Self::FIELDS, diagnostics)?;
                let kind = fields.kind(Self::KINDS, diagnostics);
                $(let $field = fields.take(stringify!($field), diagnostics);)*
                let mut decoded = None;
                $(
                    if fields.get(stringify!($key)).is_some() {
                        let value = $crate::decode::InRule::read(stringify!($key), &fields, diagnostics);
                        if let Some(value) = value {
                            decoded.get_or_insert($kind::$variant(value));
                        }
                    }
                )*
                if let Some(id) = fields.get("id").and_then($crate::decode::plain_text) {
                    diagnostics.attribute(from, id);
                }
                Some(Self { span: node.span, $($field: $field?,)* kind_span: kind?.key.span, kind: decoded? })
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                #[derive(schemars::JsonSchema)]
                #[schemars(deny_unknown_fields)]
                $(#[$meta])*
                #[expect(dead_code, reason = "declares the schema; never built")]
                struct Common {
                    $($(#[$field_meta])* $(#[schemars($default)])? $field: $ty,)*
                }
                let mut rule = Common::json_schema(generator);
                $(<$variant as $crate::decode::InRule>::describe(stringify!($key), generator, &mut rule);)*
                $crate::schema::exactly_one(&mut rule, Self::KINDS);
                rule
            }
        }
    };
}
pub(crate) use rule_record;
