use std::fs;
use std::path::PathBuf;

use super::*;
use crate::journal::base64;
use crate::journal::record::{Base64, Hex};

fn unhex<const N: usize>(text: &str) -> [u8; N] {
    Hex::parse(text).unwrap().0
}

/// RFC 8032 §7.1, tests 1 to 3: seed, public key, message, signature.
const RFC_8032: [(&str, &str, &[u8], &str); 3] = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        b"",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        b"\x72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        b"\xaf\x82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
];

/// The first of these keys as `openssl pkey` writes it, and RFC 8410 §10.1's and §10.3's keys.
const OPENSSL: &str = "-----BEGIN PRIVATE KEY-----\n\
    MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----\n";
const OPENSSL_PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\n\
    MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n";
const RFC_8410: &str = "-----BEGIN PRIVATE KEY-----\n\
    MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n";
const RFC_8410_PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\n\
    MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n";

fn key() -> SigningKey {
    SigningKey::from_bytes(&unhex(RFC_8032[0].0))
}

fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("interlock-key-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn signatures_are_those_of_rfc_8032() {
    for (seed, public, message, signature) in RFC_8032 {
        let key = SigningKey::from_bytes(&unhex(seed));
        assert_eq!(Hex(*key.public().as_bytes()).to_string(), public);
        assert_eq!(Hex(key.sign(message).0).to_string(), signature);
        let mut signature = Base64(unhex(signature));
        assert!(key.public().verify(message, &signature));
        assert!(!key.public().verify(b"another", &signature));
        signature.0[40] ^= 1;
        assert!(!key.public().verify(message, &signature));
    }
}

#[test]
fn a_signature_has_no_second_form() {
    // The order of the group, added to `s`: the same equation, another signature.
    let order: [u8; 32] = unhex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    let key = key();
    let mut signature = key.sign(b"message");
    let mut carry = 0;
    for (byte, add) in signature.0[32..].iter_mut().zip(order) {
        let sum = u16::from(*byte) | carry << 15;
        let sum = (sum & 0xff).wrapping_add(u16::from(add)).wrapping_add(sum >> 15);
        *byte = sum.to_le_bytes()[0];
        carry = sum >> 8;
    }
    assert!(!key.public().verify(b"message", &signature));
}

#[test]
fn keys_are_written_as_openssl_writes_them() {
    assert_eq!(&**key().to_pem().unwrap(), OPENSSL);
    assert_eq!(key().public().to_pem().unwrap(), OPENSSL_PUBLIC);
    let key = SigningKey::from_pem(RFC_8410).unwrap();
    assert_eq!(&**key.to_pem().unwrap(), RFC_8410);
    assert_eq!(key.public().to_pem().unwrap(), RFC_8410_PUBLIC);
}

#[test]
fn keys_are_read_in_all_their_forms() {
    let key = key();
    for pem in [OPENSSL.to_owned(), OPENSSL.replace('\n', "\r\n"), format!("\n{OPENSSL}\n\n")] {
        assert_eq!(SigningKey::from_pem(&pem).unwrap().public(), key.public());
    }
    let plain = key.public().to_string();
    assert_eq!(plain, "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=");
    for text in [
        plain.as_str(),
        &format!("{plain}\n"),
        OPENSSL_PUBLIC,
        &OPENSSL_PUBLIC.replace('\n', "\r\n"),
        "example+f7765d8c+AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea",
    ] {
        assert_eq!(PublicKey::parse(text).unwrap(), key.public(), "{text}");
    }
}

#[test]
fn what_is_no_key_is_refused_in_words() {
    let private = [
        ("", "is not an Ed25519 private key"),
        ("nonsense", "is not an Ed25519 private key"),
        (OPENSSL_PUBLIC, "is a public key"),
        ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n", "is encrypted"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n", "is a key of OpenSSH"),
        // An X25519 key, and one that is too short.
        (&OPENSSL.replace("BQYDK2Vw", "BQYDK2Vu"), "is not an Ed25519 private key"),
        (&OPENSSL.replace("rn9g\n", "rg==\n"), "is not an Ed25519 private key"),
    ];
    for (text, problem) in private {
        let error = SigningKey::from_pem(text).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
    let public = [
        ("", "is not a public key"),
        ("11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHUR==", "is not a public key"),
        ("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "is not a public key"),
        (OPENSSL, "is a private key"),
        ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", "is not an Ed25519 public key in PEM"),
        ("AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "no point"),
    ];
    for (text, problem) in public {
        let error = PublicKey::parse(text).unwrap_err().to_string();
        assert!(error.contains(problem), "{text}: {error}");
    }
    // None says what it was given.
    assert!(!SigningKey::from_pem("my password").unwrap_err().to_string().contains("password"));
}

#[test]
fn weak_keys_and_second_spellings_of_keys_are_refused() {
    let weak = [
        // The points of small order: one, minus one, and those of order 4 and 8.
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        // The same with a coordinate that is not reduced, or the sign of zero set.
        "0100000000000000000000000000000000000000000000000000000000000080",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        // A point of large order, with the coordinate 3 written as 2²⁵⁵ − 16.
        "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ];
    for bytes in weak {
        let bytes = unhex(bytes);
        assert!(PublicKey::from_bytes(&bytes).is_err(), "{bytes:02x?}");
        assert!(PublicKey::parse(&Base64(bytes).to_string()).is_err());
        let mut pem = OPENSSL_PUBLIC.to_owned();
        let der: Vec<u8> =
            [&[0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00], bytes.as_slice()].concat();
        pem.replace_range(27..87, &base64::encode(&der));
        assert!(PublicKey::parse(&pem).is_err());
    }
    let three = unhex("0300000000000000000000000000000000000000000000000000000000000000");
    assert!(PublicKey::from_bytes(&three).is_ok(), "the point of the last case exists");
}

#[test]
fn nothing_shows_a_private_key() {
    let (key, seed) = (key(), RFC_8032[0].0);
    let shown = format!("{key:?} {key:#?}");
    assert!(shown.contains("11qYAYKxCrfVS"));
    assert!(!shown.contains(seed) && !shown.contains("nWGxne"), "{shown}");
}

#[test]
fn files_are_new_and_private() {
    let folder = scratch("files");
    let path = folder.join("key");
    let made = SigningKey::generate().unwrap();
    made.write_new(&path).unwrap();
    assert_eq!(SigningKey::read(&path).unwrap().public(), made.public());
    assert!(matches!(key().write_new(&path), Err(KeyError::Exists(_))));
    assert_eq!(SigningKey::read(&path).unwrap().public(), made.public(), "it was not overwritten");

    assert!(matches!(SigningKey::read(&folder), Err(KeyError::NotAFile(_))));
    assert!(matches!(SigningKey::read(&folder.join("none")), Err(KeyError::Io { .. })));
    assert!(matches!(key().write_new(&folder.join("none/key")), Err(KeyError::Io { .. })));
    let public = folder.join("key.pub");
    fs::write(&public, key().public().to_pem().unwrap()).unwrap();
    assert_eq!(PublicKey::read(&public).unwrap(), key().public());
    let error = PublicKey::read(&path).unwrap_err().to_string();
    assert!(error.contains("key` is a private key"), "{error}");
    fs::remove_dir_all(folder).unwrap();
}

#[cfg(unix)]
#[test]
fn files_that_others_may_read_are_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = scratch("modes");
    let path = folder.join("key");
    key().write_new(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
    for (mode, fine) in
        [(0o600, true), (0o400, true), (0o700, true), (0o640, false), (0o604, false), (0o620, false), (0o601, false)]
    {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let read = SigningKey::read(&path);
        assert_eq!(read.is_ok(), fine, "{mode:o}");
        if let Err(error) = read {
            assert!(error.to_string().ends_with(&format!("run `chmod 600 {}`", path.display())), "{error}");
        }
    }
    // A file that is read in one go, but is not: its size says so before it is read.
    let large = folder.join("large");
    fs::write(&large, "x".repeat(5000)).unwrap();
    fs::set_permissions(&large, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(SigningKey::read(&large).unwrap_err().to_string().contains("too large"));
    fs::write(&large, [0xff, 0xfe]).unwrap();
    assert!(SigningKey::read(&large).unwrap_err().to_string().contains("is not text"));
    fs::remove_dir_all(folder).unwrap();
}
