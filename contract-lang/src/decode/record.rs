//! Records: mappings with fixed fields, declared once.

/// Declares a mapping with fixed fields: the struct, its decoder and its schema.
///
/// The literal names the record in messages. `= default` marks a list or mapping that may be left out (for the schema).
macro_rules! record {
    (
        $(#[$meta:meta])*
        $what:literal struct $name:ident {
            $($(#[$field_meta:meta])* $field:ident: $ty:ty $(= $default:ident)?,)*
        }
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
        }

        impl $name {
            /// What it is called in messages.
            pub const WHAT: &'static str = $what;

            /// Its fields.
            pub const FIELDS: &'static [&'static str] = &[$($crate::decode::field_name(stringify!($field))),*];
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
                Some(Self { span: node.span, $($field: $field?,)* })
            }
        }
    };
}
pub(crate) use record;

/// Declares the rule: its common fields, and its kinds, of which exactly one is written.
///
/// A kind may need a companion, another field of the rule: `require` needs `call`. The flat struct behind it exists only
/// for the schema.
macro_rules! rule_record {
    (
        $(#[$meta:meta])*
        $what:literal struct $name:ident {
            $($(#[$field_meta:meta])* $field:ident: $ty:ty $(= $default:ident)?,)*
        }
        $(#[$kind_meta:meta])*
        enum $kind:ident {
            $(
                $(#[$variant_meta:meta])* $key:ident: $value:ty => $variant:ident
                $(with $(#[$with_meta:meta])* $with:ident: $with_ty:ty)?,
            )*
        }
        check $check:path
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
            $($(#[$variant_meta])* $variant($value $(, $with_ty)?),)*
        }

        impl $kind {
            /// The name of the kind in a contract.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(..) => stringify!($key),)* }
            }
        }

        impl $name {
            /// What it is called in messages.
            pub const WHAT: &'static str = $what;

            /// The fields that a rule of any kind may have.
            pub const FIELDS: &'static [&'static str] = &[$($crate::decode::field_name(stringify!($field))),*];

            /// The kinds, each with the other field that it needs.
            pub const KINDS: &'static [(&'static str, Option<&'static str>)] =
                &[$((stringify!($key), $crate::decode::first(&[$(stringify!($with))?]))),*];
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
                    if let Some(node) = fields.get(stringify!($key)) {
                        $(let $with = fields.companion::<$with_ty>(stringify!($key), stringify!($with), diagnostics);)?
                        let value = <$value as $crate::decode::Decode>::decode(node, diagnostics);
                        if let (Some(value), $(Some($with),)?) = (value, $($with,)?) {
                            decoded.get_or_insert($kind::$variant(value $(, $with)?));
                        }
                    }
                )*
                if let Some(kind) = kind {
                    $check(&fields, kind.key.text.as_str(), diagnostics);
                }
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
                struct Flat {
                    $($(#[$field_meta])* $(#[schemars($default)])? $field: $ty,)*
                    $(
                        $(#[$variant_meta])* $key: Option<$value>,
                        $($(#[$with_meta])* $with: Option<$with_ty>,)?
                    )*
                }
                $crate::schema::exactly_one(Flat::json_schema(generator), Self::KINDS)
            }
        }
    };
}
pub(crate) use rule_record;
