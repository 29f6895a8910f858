//! What can be wrong with a note or a verifier key.

use std::fmt;

/// Why a text is not a signed note, or not a verifier key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoteError {
    /// Longer than [`Note::MOST_BYTES`](super::Note::MOST_BYTES).
    TooLong,
    /// More signatures than [`Note::MOST_SIGNATURES`](super::Note::MOST_SIGNATURES).
    TooManySignatures,
    /// The text is empty, does not end in a newline, or has a control character.
    Text,
    /// There is no empty line before the signatures, or there are none.
    NoSignature,
    /// A line of the signatures is not `— <name> <base64>`.
    SignatureLine,
    /// A name that is empty, or has a space, a plus sign or a control character.
    Name,
    /// Not `name+hash+base64` of a key for Ed25519 or cosignature/v1.
    VerifierKey,
    /// A verifier key whose hash is not that of its name and key.
    VerifierHash,
    /// A key that is no point of the curve, or weak.
    WeakKey,
}

impl fmt::Display for NoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => "the note is longer than 256 KiB",
            Self::TooManySignatures => "the note has more than 64 signatures",
            Self::Text => "the note's text must end in a newline and have no control characters",
            Self::NoSignature => "the note has no signatures: they follow its text after an empty line",
            Self::SignatureLine => "a signature's line must be `— <name> <base64>`",
            Self::Name => "a signer's name must not be empty, and have no spaces, plus signs or control characters",
            Self::VerifierKey => "a verifier key is `name+hash+base64`, for Ed25519 (01) or cosignature/v1 (04)",
            Self::VerifierHash => "the verifier key's hash does not belong to its name and key: was it copied in full?",
            Self::WeakKey => "the verifier key is not an Ed25519 public key, or a weak one",
        })
    }
}

impl std::error::Error for NoteError {}
