use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};

use contract_lang::interpret::{Interpreted, Interpreter};
use contract_runtime::journal::SigningKey;
use contract_runtime::{Call, Refusal, Session, Time};
use serde_json::{Value, json};

use super::*;
use crate::mcp::{Desk as _, Sought, Standing};

const CONTRACT: &str = "version: 1\nname: big\ndefault: allow\nrules:\n  - { id: limit, call: pay, require: args.amount <= 100, action: ask }\n";

static NOW: LazyLock<std::time::Instant> = LazyLock::new(std::time::Instant::now);

/// A folder of one test, a session, and the time.
struct Place {
    path: PathBuf,
    session: Session<Interpreter>,
    seconds: Arc<AtomicI64>,
}

impl Place {
    fn new(name: &str) -> Self {
        let nanos = NOW.elapsed().as_nanos();
        let path = std::env::temp_dir().join(format!("interlock-{}-{name}-{nanos}", std::process::id()));
        let seconds = Arc::new(AtomicI64::new(1_000));
        let checked = contract_lang::check("c.yaml", CONTRACT.as_bytes(), &contract_lang::Options::default());
        let monitor = Interpreted::new(checked.contract.unwrap()).monitor();
        let session = Session::builder(monitor).clock(clock(&seconds)).start().unwrap();
        Self { path, session, seconds }
    }

    fn desk(&self, approvers: &[&SigningKey]) -> FolderDesk {
        let approvers = approvers.iter().map(|key| key.public()).collect();
        FolderDesk::new(Arc::new(Folder::create(&self.path, approvers).unwrap()), clock(&self.seconds))
    }

    fn later(&self, seconds: i64) {
        self.seconds.fetch_add(seconds, Ordering::SeqCst);
    }

    fn now(&self) -> Time {
        clock(&self.seconds)()
    }

    fn refusal(&self, args: &Value) -> Refusal {
        self.session.before(&Call::new("pay", args)).unwrap_err()
    }

    fn ask(&self, desk: &FolderDesk, args: &Value) -> Standing {
        let refusal = self.refusal(args);
        desk.ask(&Sought {
            session: "s1",
            name: "big",
            contract: "c0ffee",
            request: refusal.request().unwrap(),
            why: refusal.text(),
        })
    }

    fn waiting(&self, desk: &FolderDesk, args: &Value) -> String {
        match self.ask(desk, args) {
            Standing::Waiting(name) => name,
            other => panic!("{other:?}"),
        }
    }

    fn answer(&self, name: &str, is_approved: bool, key: Option<&SigningKey>) -> Result<(), Problem> {
        let folder = Folder::open(&self.path)?;
        let request = folder.request(name, self.now())?;
        let answer = Answer {
            request: request.digest.clone(),
            is_approved,
            by: Some("ann".to_owned()),
            reason: (!is_approved).then(|| "too much".to_owned()),
            at: self.now(),
        };
        folder.answer(&request, &answer, key)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn clock(seconds: &Arc<AtomicI64>) -> impl Fn() -> Time + Send + Sync + 'static {
    let seconds = Arc::clone(seconds);
    move || Time::from_nanos(i128::from(seconds.load(Ordering::SeqCst)).saturating_mul(1_000_000_000))
}

fn granted(by: &str) -> Standing {
    Standing::Granted(Some(by.to_owned()))
}

#[test]
fn an_approval_is_for_one_run_of_one_call() {
    let place = Place::new("one-run");
    let desk = place.desk(&[]);
    let call = json!({"amount": 500});
    let name = place.waiting(&desk, &call);
    assert_eq!(place.waiting(&desk, &call), name, "the same call is asked about once");
    let Waiting { requests: waiting, wrong } = Folder::open(&place.path).unwrap().waiting(place.now()).unwrap();
    assert_eq!((waiting.len(), wrong.len()), (1, 0));
    assert_eq!((&waiting[0].args, waiting[0].contract.as_str(), waiting[0].session.as_str()), (&call, "big", "s1"));
    assert!(waiting[0].why.contains("limit"), "{}", waiting[0].why);
    place.answer(&name, true, None).unwrap();
    assert_ne!(place.waiting(&desk, &json!({"amount": 501})), name, "another call is another request");
    assert_eq!(place.ask(&desk, &call), granted("ann"));
    assert_ne!(place.waiting(&desk, &call), name, "the answer is used up");
}

#[test]
fn sessions_do_not_share_answers() {
    let place = Place::new("sessions");
    let (one, other) = (place.desk(&[]), place.desk(&[]));
    let call = json!({"amount": 500});
    let name = place.waiting(&one, &call);
    let second = place.waiting(&other, &call);
    assert_ne!(name, second);
    place.answer(&name, true, None).unwrap();
    assert_eq!(place.ask(&other, &call), Standing::Waiting(second.clone()));
    // Not even if somebody moves the file.
    fs::rename(place.file(&format!("{name}.answer.json")), place.file(&format!("{second}.answer.json"))).unwrap();
    assert!(matches!(place.ask(&other, &call), Standing::Failed(why) if why.contains("another request")));
    assert_eq!(place.ask(&other, &call), Standing::Waiting(second));
}

#[test]
fn a_no_holds_until_the_question_would_have_expired() {
    let place = Place::new("no");
    let desk = place.desk(&[]);
    let call = json!({"amount": 500});
    let name = place.waiting(&desk, &call);
    place.answer(&name, false, None).unwrap();
    let no = Standing::Denied(Some("ann".to_owned()), Some("too much".to_owned()));
    assert_eq!(place.ask(&desk, &call), no);
    place.later(600);
    assert_eq!(place.ask(&desk, &call), no);
    place.later(1);
    assert_ne!(place.waiting(&desk, &call), name);
}

#[test]
fn an_answer_that_comes_too_late_counts_for_nothing() {
    let place = Place::new("late");
    let desk = place.desk(&[]);
    let call = json!({"amount": 500});
    let name = place.waiting(&desk, &call);
    place.answer(&name, true, None).unwrap();
    place.later(601);
    assert_eq!(place.ask(&desk, &call), Standing::Expired);
    let name = place.waiting(&desk, &call);
    place.later(601);
    let late = place.answer(&name, true, None).unwrap_err();
    assert_eq!(late.to_string(), "the time to answer it is over");
    assert_eq!(place.ask(&desk, &call), Standing::Expired);
}

#[test]
fn a_request_is_answered_once() {
    let place = Place::new("once");
    let desk = place.desk(&[]);
    let name = place.waiting(&desk, &json!({"amount": 500}));
    place.answer(&name, false, None).unwrap();
    assert_eq!(place.answer(&name, true, None).unwrap_err().to_string(), "it has an answer already");
    assert_eq!(Folder::open(&place.path).unwrap().waiting(place.now()).unwrap().requests, []);
}

#[test]
fn where_approvers_have_keys_nothing_else_counts() {
    let place = Place::new("keys");
    let (ann, eve) = (SigningKey::from_bytes(&[1; 32]), SigningKey::from_bytes(&[2; 32]));
    let desk = place.desk(&[&ann]);
    assert!(desk.is_sole());
    let call = json!({"amount": 500});
    let name = place.waiting(&desk, &call);
    for key in [None, Some(&eve)] {
        let error = place.answer(&name, true, key).unwrap_err();
        assert!(error.to_string().contains("only an approver"), "{error}");
    }
    // By hand, as an agent could that can write to the folder.
    let digest = Folder::open(&place.path).unwrap().request(&name, place.now()).unwrap().digest;
    let yes = Answer { request: digest, is_approved: true, by: Some("ann".to_owned()), reason: None, at: place.now() };
    let no = Answer { is_approved: false, ..yes.clone() };
    let turned = String::from_utf8(no.to_file(Some(&ann)).unwrap()).unwrap().replace("denied", "approved");
    let forged = [yes.to_file(None).unwrap(), yes.to_file(Some(&eve)).unwrap(), turned.into_bytes()];
    for bytes in forged {
        fs::write(place.file(&format!("{name}.answer.json")), bytes).unwrap();
        let standing = place.ask(&desk, &call);
        assert!(
            matches!(&standing, Standing::Failed(why) if why.contains("not signed by an approver")),
            "{standing:?}"
        );
    }
    place.answer(&name, true, Some(&ann)).unwrap();
    assert_eq!(place.ask(&desk, &call), granted(&format!("ann (key {})", ann.public())));
}

#[test]
fn a_request_that_was_changed_cannot_be_answered() {
    let place = Place::new("changed");
    let ann = SigningKey::from_bytes(&[1; 32]);
    let desk = place.desk(&[&ann]);
    let call = json!({"amount": 500});
    let name = place.waiting(&desk, &call);
    let path = place.file(&format!("{name}.request.json"));
    let harmless = fs::read_to_string(&path).unwrap().replace("500", "5");
    fs::write(&path, &harmless).unwrap();
    let Waiting { requests: waiting, wrong } = Folder::open(&place.path).unwrap().waiting(place.now()).unwrap();
    assert_eq!((waiting.len(), wrong.len()), (0, 1));
    assert!(place.answer(&name, true, Some(&ann)).unwrap_err().to_string().contains("was changed"));
    // Under its own name it is a request, which no guard has made.
    let other: String = contract_runtime::value::sha256_hex(harmless.as_bytes()).chars().take(16).collect();
    fs::write(place.file(&format!("{other}.request.json")), &harmless).unwrap();
    place.answer(&other, true, Some(&ann)).unwrap();
    fs::rename(place.file(&format!("{other}.answer.json")), place.file(&format!("{name}.answer.json"))).unwrap();
    assert!(matches!(place.ask(&desk, &call), Standing::Failed(why) if why.contains("another request")));
}

#[cfg(unix)]
#[test]
fn hostile_files_are_refused_and_do_not_stay_in_the_way() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let place = Place::new("hostile");
    let desk = place.desk(&[]);
    let call = json!({"amount": 500});
    let name = place.waiting(&desk, &call);
    let path = place.file(&format!("{name}.answer.json"));
    let refused = |wanted: &str| {
        let standing = place.ask(&desk, &call);
        assert!(matches!(&standing, Standing::Failed(why) if why.contains(wanted)), "{wanted}: {standing:?}");
        assert_eq!(place.ask(&desk, &call), Standing::Waiting(name.clone()));
    };
    symlink("/etc/passwd", &path).unwrap();
    refused("not a regular file");
    symlink("/dev/zero", &path).unwrap();
    refused("not a regular file");
    fs::write(&path, vec![b'x'; 20_000]).unwrap();
    refused("more than 16384 bytes");
    for garbage in [&b"\xff\xfe"[..], b"{", b"[]", b"{}", b"null", b"{\"format\":\"interlock-approval-answer/1\"}"] {
        fs::write(&path, garbage).unwrap();
        refused("no answer");
    }
    place.answer(&name, true, None).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o622)).unwrap();
    refused("others can change it (mode 0622)");
    fs::write(place.file(&"0".repeat(16)), "").unwrap();
    fs::write(place.file(&format!("{}.request.json", "../".repeat(2).replace('/', "_"))), "{}").unwrap();
    symlink("/dev/zero", place.file(&format!("{}.request.json", "0".repeat(16)))).unwrap();
    let Waiting { requests: waiting, wrong } = Folder::open(&place.path).unwrap().waiting(place.now()).unwrap();
    assert_eq!((waiting.len(), wrong.len()), (1, 2));
    for name in ["", "..", "../../etc/passwd", "0000000000000000/", "ABCDEF0123456789"] {
        assert!(Folder::open(&place.path).unwrap().request(name, place.now()).is_err(), "{name}");
    }
    place.answer(&name, true, None).unwrap();
    assert_eq!(place.ask(&desk, &call), granted("ann"));
}

#[cfg(unix)]
#[test]
fn a_folder_that_others_can_use_needs_keys() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    let place = Place::new("open");
    drop(place.desk(&[]));
    assert_eq!(fs::metadata(&place.path).unwrap().mode() & 0o777, 0o700);
    for mode in [0o770, 0o705, 0o702] {
        fs::set_permissions(&place.path, fs::Permissions::from_mode(mode)).unwrap();
        let problem = Folder::create(&place.path, Vec::new()).unwrap_err();
        assert!(problem.to_string().contains("others can use the folder"), "{problem}");
        assert!(problem.advice().is_some());
        Folder::create(&place.path, vec![SigningKey::from_bytes(&[1; 32]).public()]).unwrap();
    }
    let link = place.path.with_extension("link");
    symlink(&place.path, &link).unwrap();
    let problem = Folder::create(&link, Vec::new()).unwrap_err();
    fs::remove_file(&link).unwrap();
    assert!(problem.to_string().contains("is a link"), "{problem}");
}

#[test]
fn what_waits_is_bounded_and_goes_with_its_session() {
    let place = Place::new("bounded");
    let desk = place.desk(&[]);
    for amount in 0..64 {
        place.waiting(&desk, &json!({"amount": 1_000 + amount}));
    }
    let many = place.ask(&desk, &json!({"amount": 5_000}));
    assert!(matches!(&many, Standing::Failed(why) if why.contains("too many")), "{many:?}");
    place.later(601);
    place.waiting(&desk, &json!({"amount": 5_000}));
    assert_eq!(fs::read_dir(&place.path).unwrap().count(), 1, "what has expired is gone");
    let long = place.ask(&desk, &json!({"amount": 500, "text": "x".repeat(300_000)}));
    assert!(matches!(&long, Standing::Failed(why) if why.contains("more than")), "{long:?}");
    drop(desk);
    assert_eq!(fs::read_dir(&place.path).unwrap().count(), 0);
}
