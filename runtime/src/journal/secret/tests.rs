use super::*;

/// The test cases of RFC 4231 §4.2 to §4.4 whose keys are at most 32 bytes: HMAC fills keys up with zeros, so they are secrets.
#[test]
fn digests_are_hmac_sha_256() {
    let cases: [(&[u8], Vec<u8>, &str); 4] = [
        (&[0x0b; 20], b"Hi There".to_vec(), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        (
            b"Jefe",
            b"what do ya want for nothing?".to_vec(),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        ),
        (&[0xaa; 20], vec![0xdd; 50], "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        (
            &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25],
            vec![0xcd; 50],
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
        ),
    ];
    for (key, data, expected) in cases {
        let mut secret = [0; 32];
        secret[..key.len()].copy_from_slice(key);
        assert_eq!(Secret::from_bytes(&secret).digests().digest(&data).to_string(), expected);
    }
}

#[test]
fn the_commitment_names_the_secret_and_nothing_shows_it() {
    let secret = Secret::from_bytes(&[7; 32]);
    let digests = secret.digests();
    assert_eq!(digests.commitment(), digests.digest(b"interlock journal secret"));
    assert_ne!(digests.commitment(), Secret::from_bytes(&[8; 32]).digests().commitment());
    let shown = format!("{secret:?} {digests:?}");
    assert!(!shown.contains(&Hex([7; 32]).to_string()) && !shown.contains("[7, 7"), "{shown}");
}

#[test]
fn files_are_new_and_private() {
    let path = std::env::temp_dir().join(format!("interlock-secret-{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let secret = Secret::generate().unwrap();
    secret.write_new(&path).unwrap();
    assert!(matches!(secret.write_new(&path), Err(KeyError::Exists(_))));
    assert_eq!(Secret::read(&path).unwrap().digests().commitment(), secret.digests().commitment());
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.len(), 65);
    for wrong in [
        "",
        "\n",
        text.get(1..).unwrap(),
        &text.to_uppercase().replace(char::is_numeric, "A"),
        &format!("{text}\n"),
        &text.replace('\n', "\r\n"),
    ] {
        std::fs::write(&path, wrong).unwrap();
        let error = Secret::read(&path).unwrap_err().to_string();
        assert!(error.contains("64 hexadecimal digits"), "{error}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::write(&path, &text).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(Secret::read(&path), Err(KeyError::Exposed { mode: 0o644, .. })));
    }
    std::fs::remove_file(path).unwrap();
}
