//! `approve`: what waits for a person is shown, and answered once.

use crate::run::{Folder, interlock};

#[test]
fn what_cannot_be_answered_says_why() {
    let folder = Folder::new("approve-usage");
    std::fs::create_dir(folder.path().join("approvals")).unwrap();
    folder.write("approvals/0123456789abcdef.request.json", "{}").write("file", "");
    for (arguments, code, says) in [
        (&["--dir", "none"][..], 2, "the folder of approvals cannot be read"),
        (&["--dir", "file"], 2, "a link, or no folder"),
        (&["--reason", "no"], 2, "--deny"),
        (&["--deny"], 2, "<REQUEST>"),
        (&["../../etc/passwd"], 1, "it is not named like a request"),
        (&["ffffffffffffffff"], 1, "there is no such request"),
        (&["0123456789abcdef"], 1, "it is no request for approval"),
        (&["ffffffffffffffff", "--key", "none.key"], 2, "none.key"),
    ] {
        let run = interlock(&folder, &[&["approve"], arguments].concat());
        assert!(run.code == code && run.out.is_empty() && run.err.contains(says), "{arguments:?}: {run:?}");
    }
    let run = interlock(&folder, &["approve"]);
    assert_eq!((run.code, run.out.as_str()), (0, "0 requests for approval\n"));
    assert!(run.err.contains("warning: `0123456789abcdef.request.json` is left out"), "{}", run.err);
}

#[cfg(unix)]
mod guarded {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

    use serde_json::{Value, json};

    use crate::run::{Folder, interlock};

    const CONTRACT: &str = "version: 1\nname: payments\ndefault: allow\ntools: { pay: { effect: irreversible } }\nrules:\n  \
        - { id: small, call: pay, require: args.amount <= 100, action: ask }\n";

    const SERVER: &str = r#"while read line; do
id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
printf '%s\n' "$line" >> called
echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"paid\"}]}}"
done
"#;

    struct Guard {
        child: Child,
        input: Option<ChildStdin>,
        output: BufReader<ChildStdout>,
        id: u64,
    }

    impl Guard {
        fn start(folder: &Folder, options: &[&str]) -> Self {
            folder.write("c.yaml", CONTRACT).write("server.sh", SERVER);
            let arguments = ["mcp", "--contract", "c.yaml", "--journal", "j", "--approvals", "approvals"];
            let mut child = Command::new(env!("CARGO_BIN_EXE_interlock"))
                .args([&arguments[..], options, &["--", "sh", "server.sh"]].concat())
                .current_dir(folder.path())
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let input = child.stdin.take();
            let output = BufReader::new(child.stdout.take().unwrap());
            Self { child, input, output, id: 0 }
        }

        /// Pays, and returns the text of the answer.
        fn pay(&mut self, amount: u32) -> String {
            self.id += 1;
            let params = json!({"name": "pay", "arguments": {"amount": amount}});
            let request = json!({"jsonrpc": "2.0", "id": self.id, "method": "tools/call", "params": params});
            writeln!(self.input.as_mut().unwrap(), "{request}").unwrap();
            let mut line = String::new();
            self.output.read_line(&mut line).unwrap();
            let answer: Value = serde_json::from_str(&line).unwrap();
            assert_eq!(answer["id"], self.id);
            answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
        }

        fn end(mut self) {
            drop(self.input.take());
            assert!(self.child.wait().unwrap().success());
        }
    }

    /// The name of the request that a refusal speaks of.
    fn name(text: &str) -> String {
        let (_, rest) = text.split_once("request for approval is `").expect(text);
        rest.split('`').next().unwrap().to_owned()
    }

    fn called(folder: &Folder) -> usize {
        std::fs::read_to_string(folder.path().join("called")).map_or(0, |text| text.lines().count())
    }

    #[test]
    fn a_call_runs_once_when_a_person_has_approved_it_and_the_journal_says_who() {
        let folder = Folder::new("approve-once");
        let mut guard = Guard::start(&folder, &[]);
        assert_eq!(guard.pay(50), "paid");
        let request = name(&guard.pay(500));
        assert_eq!(name(&guard.pay(500)), request);
        let listed = interlock(&folder, &["approve"]);
        for part in [&*request, "pay", "would run with  {\"amount\":500}", "small", "1 request for approval"] {
            assert!(listed.out.contains(part), "{part}: {}", listed.out);
        }
        let json = interlock(&folder, &["approve", "--format", "json"]);
        let json: Value = serde_json::from_str(&json.out).unwrap();
        assert_eq!(
            (&json["name"], &json["args"], &json["tool"]),
            (&json!(request), &json!({"amount": 500}), &json!("pay"))
        );
        let run = interlock(&folder, &["approve", &request, "--by", "ann"]);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
        assert_eq!(interlock(&folder, &["approve", &request]).code, 1);
        assert_eq!(called(&folder), 1);
        assert_eq!(guard.pay(500), "paid");
        let again = name(&guard.pay(500));
        assert_ne!(again, request);
        let run = interlock(&folder, &["approve", &again, "--deny", "--reason", "not to acme", "--by", "bob"]);
        assert_eq!(run.code, 0, "{run:?}");
        assert_eq!(guard.pay(500), "`pay` did not run: a person did not approve it: not to acme.");
        assert_eq!(called(&folder), 2);
        guard.end();
        let shown = interlock(&folder, &["show", "j"]);
        assert!(shown.out.contains("approved by ann") && shown.out.contains("denied by bob"), "{}", shown.out);
        assert_eq!(interlock(&folder, &["verify", "j"]).code, 0);
        assert_eq!(interlock(&folder, &["report", "j", "-o", "r.html"]).code, 0);
        let report = std::fs::read_to_string(folder.path().join("r.html")).unwrap();
        assert!(report.contains("ann") && report.contains("bob"));
        assert_eq!(std::fs::read_dir(folder.path().join("approvals")).unwrap().count(), 0);
    }

    #[test]
    fn with_an_approver_only_the_key_counts() {
        let folder = Folder::new("approve-key");
        for key in ["ann.key", "eve.key"] {
            assert_eq!(interlock(&folder, &["keygen", "-o", key]).code, 0);
        }
        let mut guard = Guard::start(&folder, &["--approver", "ann.key.pub"]);
        let request = name(&guard.pay(500));
        for key in [&[][..], &["--key", "eve.key"]] {
            let run = interlock(&folder, &[&["approve", &*request], key].concat());
            assert!(run.code == 1 && run.err.contains("only an approver can answer it"), "{run:?}");
        }
        assert_eq!(name(&guard.pay(500)), request);
        let run = interlock(&folder, &["approve", &request, "--key", "ann.key", "--by", "ann"]);
        assert_eq!(run.code, 0, "{run:?}");
        assert_eq!(guard.pay(500), "paid");
        guard.end();
        let shown = interlock(&folder, &["show", "j"]);
        assert!(shown.out.contains("approved by ann (key "), "{}", shown.out);
    }

    #[test]
    fn a_folder_that_others_can_use_is_refused_before_the_server_starts() {
        let folder = Folder::new("approve-open");
        folder.write("c.yaml", CONTRACT);
        let path = folder.path().join("approvals");
        std::fs::create_dir(&path).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let run =
            interlock(&folder, &["mcp", "--contract", "c.yaml", "--approvals", "approvals", "--", "touch", "started"]);
        assert!(
            run.code == 2 && run.err.contains("others can use the folder") && run.err.contains("help: run"),
            "{run:?}"
        );
        assert!(!folder.path().join("started").exists());
    }
}
