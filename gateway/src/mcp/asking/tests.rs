use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use contract_lang::interpret::{Interpreted, Interpreter};

use super::*;
use crate::mcp::{Desk, Settings};

const ASKS: &str = "version: 1\nname: big\ndefault: allow\nrules:\n  - { id: limit, call: pay, require: args.amount <= 100, action: ask }\n";

const BLOCKS: &str =
    "version: 1\nname: big\ndefault: allow\nrules:\n  - { id: limit, call: pay, require: args.amount <= 100 }\n";

const ONCE: &str = "version: 1\nname: big\ndefault: allow\nrules:\n  - { id: limit, call: pay, require: args.amount <= 100, action: ask }\n  \
    - { id: once, at_most_n_times: { call: pay, n: 1 } }\n";

/// A gate, and the time of its session.
struct Place {
    gate: Gate<Interpreter>,
    seconds: Arc<AtomicI64>,
}

fn session(contract: &str, seconds: &Arc<AtomicI64>, saved: Option<&str>) -> Session<Interpreter> {
    let checked = contract_lang::check("c.yaml", contract.as_bytes(), &contract_lang::Options::default());
    let seconds = Arc::clone(seconds);
    let clock = move || Time::from_nanos(i128::from(seconds.load(Ordering::SeqCst)).saturating_mul(1_000_000_000));
    let session = Session::builder(Interpreted::new(checked.contract.unwrap()).monitor()).clock(clock);
    saved.into_iter().fold(session, |session, saved| session.restore(saved)).start().unwrap()
}

fn place(contract: &str, settings: Settings) -> Place {
    let seconds = Arc::new(AtomicI64::new(1_000));
    let settings = Settings { prefix: "guard-".to_owned(), ..settings };
    Place { gate: Gate::new(session(contract, &seconds, None), settings), seconds }
}

impl Place {
    /// A client that can ask its person, in the protocol with sessions.
    fn with_sessions(contract: &str) -> Self {
        let place = place(contract, Settings::default());
        let capabilities = json!({"elicitation": {"form": {}}});
        place.forwards(&message(0, "initialize", &json!({"capabilities": capabilities})));
        place.gate.from_server(br#"{"jsonrpc":"2.0","id":0,"result":{}}"#);
        place
    }

    fn later(&self, seconds: i64) -> Time {
        let now = self.seconds.fetch_add(seconds, Ordering::SeqCst).saturating_add(seconds);
        Time::from_nanos(i128::from(now).saturating_mul(1_000_000_000))
    }

    fn forwards(&self, message: &str) {
        let action = self.gate.from_client(message.as_bytes());
        assert_eq!(action, Action::Forward(message.as_bytes().into()));
    }

    /// The guard's own request about a call, and its ticket.
    fn asks(&self, message: &str) -> (Ticket, Value) {
        match self.gate.from_client(message.as_bytes()) {
            Action::Ask(ticket, request) => (ticket, serde_json::from_slice(&request).unwrap()),
            other => panic!("{other:?}"),
        }
    }

    /// What becomes of the waiting message when the client answers the guard's request so.
    fn answers(&self, request: &Value, result: &Value) -> Action<'static> {
        let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": result}).to_string();
        match self.gate.from_client(answer.as_bytes()) {
            Action::Answered(_, then) => *then,
            other => panic!("{other:?}"),
        }
    }

    fn result(&self, message: &str) -> Value {
        result(&self.gate.from_client(message.as_bytes()))
    }
}

fn result(action: &Action<'_>) -> Value {
    let Action::Answer(bytes) = action else { panic!("{action:?}") };
    let answer: Value = serde_json::from_slice(bytes).unwrap();
    answer.get("result").or_else(|| answer.get("error")).unwrap().clone()
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}"))
}

fn message(id: u32, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn pay(id: u32, amount: u32) -> String {
    message(id, "tools/call", &json!({"name": "pay", "arguments": {"amount": amount}}))
}

/// A call in the protocol without sessions, with what a client gives back besides.
fn stateless(id: u32, amount: u32, elicitation: &Value, more: &Value) -> String {
    let meta = json!({VERSION: "2026-07-28", CAPABILITIES: {"elicitation": elicitation}});
    let mut params = json!({"name": "pay", "arguments": {"amount": amount}, "_meta": meta});
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    message(id, "tools/call", &params)
}

fn back(state: &Value, action: &str) -> Value {
    json!({"requestState": state, "inputResponses": {QUESTION: {"action": action, "content": {}}}})
}

#[test]
fn a_call_goes_on_as_it_came_when_the_clients_person_accepts() {
    let place = Place::with_sessions(ASKS);
    let call = pay(1, 500).replace(':', " : ");
    let (_, request) = place.asks(&call);
    assert_eq!(request["method"], "elicitation/create");
    let asked = request["params"]["message"].as_str().unwrap();
    assert!(asked.contains("limit") && asked.contains(r#"{"amount":500}"#), "{asked}");
    assert_eq!(request["params"]["requestedSchema"], json!({"type": "object", "properties": {}}));
    assert_eq!(place.answers(&request, &json!({"action": "accept"})), Action::Forward(call.into_bytes().into()));
    // The same call is asked about anew, and an answer is taken once.
    let (_, second) = place.asks(&pay(2, 500));
    assert_ne!(second["id"], request["id"]);
    let again = json!({"jsonrpc": "2.0", "id": request["id"], "result": {"action": "accept"}}).to_string();
    assert!(matches!(place.gate.from_client(again.as_bytes()), Action::Forward(_)), "it is nobody's any more");
}

#[test]
fn whatever_is_no_plain_yes_is_a_no() {
    let place = Place::with_sessions(ASKS);
    for (id, said, says) in [
        (1, json!({"action": "decline"}), "a person did not approve it."),
        (2, json!({"action": "cancel"}), "closed without an answer"),
        (3, json!({"action": "ACCEPT"}), "closed without an answer"),
        (4, json!({"action": ["accept"]}), "closed without an answer"),
        (5, json!({}), "closed without an answer"),
        (6, json!("accept"), "closed without an answer"),
    ] {
        let (_, request) = place.asks(&pay(id, 500));
        let result = result(&place.answers(&request, &said));
        assert!(text(&result).contains(says) && result["isError"] == true, "{said}: {result}");
    }
    let (_, request) = place.asks(&pay(9, 500));
    let error = json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -1, "message": "x"}}).to_string();
    let Action::Answered(_, then) = place.gate.from_client(error.as_bytes()) else { panic!("no answer") };
    assert!(text(&result(&then)).contains("closed without an answer"));
}

#[test]
fn clients_that_cannot_show_forms_are_not_asked() {
    for capabilities in
        [json!({}), json!({"elicitation": {"url": {}}}), json!({"elicitation": null}), json!({"elicitation": []})]
    {
        let place = place(ASKS, Settings::default());
        place.forwards(&message(0, "initialize", &json!({"capabilities": capabilities})));
        let result = place.result(&pay(1, 500));
        assert!(text(&result).ends_with("Nobody is there to approve it."), "{result}");
    }
    let place = place(ASKS, Settings::default());
    place.forwards(&message(0, "initialize", &json!({"capabilities": {"elicitation": {}}})));
    place.asks(&pay(1, 500));
}

#[test]
fn what_a_person_is_shown_is_inert_and_says_where_it_is_cut() {
    let shown = question("`pay` did not run\n- limit: \u{202e}x", &json!({"a": "\u{200b}\u{202e}\u{1b}[31m"}));
    let shown = shown["message"].as_str().unwrap();
    assert!(shown.chars().all(|c| c == '\n' || !render::is_hidden(c)), "{shown}");
    let long = question("", &json!({"a": "x".repeat(5_000), "z": "hidden"}));
    let long = long["message"].as_str().unwrap();
    assert!(long.contains("(These are the first 4000 of ") && !long.contains("hidden"), "{long}");
}

#[test]
fn nobody_is_asked_about_what_nobody_reads() {
    let place = Place::with_sessions(ASKS);
    let call =
        message(1, "tools/call", &json!({"name": "pay", "arguments": {"amount": 500, "note": "x".repeat(LONGEST)}}));
    assert!(text(&place.result(&call)).ends_with("The call is too long for a person to look at."));
}

#[test]
fn time_answers_what_no_person_has() {
    let place = Place::with_sessions(ASKS);
    let (ticket, request) = place.asks(&pay(1, 500));
    assert_eq!(place.gate.expire(place.later(600)), []);
    let over = place.gate.expire(place.later(1));
    assert_eq!(over.len(), 1);
    assert_eq!(over[0].0, ticket);
    assert_eq!(text(&result(&over[0].1)), "`pay` did not run: the time to approve it is over.");
    assert!(!place.gate.is_busy());
    assert_eq!(place.gate.expire(place.later(1)), []);
    // The id is free again, and the late answer is nobody's.
    let late = json!({"jsonrpc": "2.0", "id": request["id"], "result": {"action": "accept"}}).to_string();
    assert!(matches!(place.gate.from_client(late.as_bytes()), Action::Forward(_)));
    place.asks(&pay(1, 500));
}

#[test]
fn a_call_that_is_cancelled_while_it_waits_gets_no_answer_and_does_not_run() {
    let place = Place::with_sessions(ASKS);
    let (_, request) = place.asks(&pay(1, 500));
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}).to_string();
    assert_eq!(place.gate.from_client(cancel.as_bytes()), Action::Drop);
    assert!(!place.gate.is_busy());
    assert_eq!(place.gate.expire(place.later(601)), []);
    let late = json!({"jsonrpc": "2.0", "id": request["id"], "result": {"action": "accept"}}).to_string();
    assert!(!matches!(place.gate.from_client(late.as_bytes()), Action::Answered(..)));
}

#[test]
fn a_call_that_waits_while_the_contract_is_exchanged_gets_one_answer() {
    for accepts in [false, true] {
        let place = Place::with_sessions(ASKS);
        let (ticket, request) = place.asks(&pay(1, 500));
        let seconds = Arc::clone(&place.seconds);
        place.gate.exchange(|saved| Ok::<_, String>(session(BLOCKS, &seconds, Some(saved)))).unwrap();
        let then = if accepts {
            place.answers(&request, &json!({"action": "accept"}))
        } else {
            let mut over = place.gate.expire(place.later(0));
            assert_eq!((over.len(), &over[0].0), (1, &ticket));
            over.remove(0).1
        };
        assert!(text(&result(&then)).contains("the contract was exchanged while a person was asked"));
        assert!(!place.gate.is_busy());
        assert_eq!(place.gate.expire(place.later(601)), []);
    }
}

#[test]
fn a_call_that_waits_when_the_server_goes_gets_one_answer() {
    let place = Place::with_sessions(ASKS);
    place.asks(&pay(1, 500));
    assert_eq!(place.gate.abandon("the server has ended").len(), 1);
    assert_eq!(place.gate.expire(place.later(601)), []);
}

#[test]
fn an_approval_lifts_ask_and_never_block() {
    let place = Place::with_sessions(ONCE);
    let (_, first) = place.asks(&pay(1, 500));
    let (_, second) = place.asks(&pay(2, 600));
    assert!(matches!(place.answers(&first, &json!({"action": "accept"})), Action::Forward(_)));
    let result = result(&place.answers(&second, &json!({"action": "accept"})));
    assert!(text(&result).contains("blocks it") && text(&result).contains("once"), "{result}");
}

#[test]
fn without_sessions_the_answer_is_the_question_and_the_call_comes_again() {
    let place = place(ASKS, Settings::default());
    let asked = place.result(&stateless(1, 500, &json!({}), &json!({})));
    assert_eq!(asked["resultType"], "input_required");
    let request = &asked["inputRequests"][QUESTION];
    assert_eq!(request["method"], "elicitation/create");
    assert!(request["params"]["message"].as_str().unwrap().contains(r#"{"amount":500}"#));
    assert!(!place.gate.is_busy(), "the call has its answer");
    let state = &asked["requestState"];
    let retry = stateless(2, 500, &json!({}), &back(state, "accept"));
    let Action::Forward(sent) = place.gate.from_client(retry.as_bytes()) else { panic!("not forwarded") };
    assert_eq!(
        serde_json::from_slice::<Value>(&sent).unwrap(),
        serde_json::from_str::<Value>(&stateless(2, 500, &json!({}), &json!({}))).unwrap(),
        "the guard's own parameters are gone"
    );
    // A state is used up.
    let again = place.result(&stateless(3, 500, &json!({}), &back(state, "accept")));
    assert_eq!(again["code"], INVALID_PARAMS, "{again}");
    assert!(again["message"].as_str().unwrap().contains("is over"), "{again}");
    let next = place.result(&stateless(4, 500, &json!({}), &json!({})));
    assert_ne!(&next["requestState"], state);
}

#[test]
fn bytes_around_the_guards_parameters_stay_as_they_came() {
    let place = place(ASKS, Settings::default());
    let meta = format!(r#""_meta" : {{"{VERSION}":"2026-07-28","{CAPABILITIES}":{{"elicitation":{{}}}}}}"#);
    let call = |id: u32, more: &str| {
        format!(
            r#"{{ "jsonrpc":"2.0","id":{id}, "method":"tools/call","x":1.50, "params":{{{more}"name":"pay" , "arguments":{{"amount": 5e2}},{meta}}} }}"#
        )
    };
    let asked = place.result(&call(1, ""));
    let more = format!(
        r#""inputResponses":{{"{QUESTION}":{{"action":"accept"}}}}, "requestState":{},"#,
        asked["requestState"]
    );
    let retry = call(2, &more);
    assert_eq!(place.gate.from_client(retry.as_bytes()), Action::Forward(call(2, "").into_bytes().into()));
}

#[test]
fn an_answer_is_for_the_call_that_was_asked_about() {
    let place = place(ASKS, Settings::default());
    let asked = place.result(&stateless(1, 500, &json!({}), &json!({})));
    let other = place.result(&stateless(2, 501, &json!({}), &back(&asked["requestState"], "accept")));
    assert!(text(&other).contains("the answer is for another call"), "{other}");
    let used = place.result(&stateless(3, 500, &json!({}), &back(&asked["requestState"], "accept")));
    assert_eq!(used["code"], INVALID_PARAMS, "the state is used up");
    let asked = place.result(&stateless(4, 500, &json!({}), &json!({})));
    let no = place.result(&stateless(5, 500, &json!({}), &back(&asked["requestState"], "decline")));
    assert!(text(&no).contains("a person did not approve it"), "{no}");
    // Without the answer that is needed, the question is put again.
    let asked = place.result(&stateless(6, 500, &json!({}), &json!({})));
    let again = place.result(&stateless(7, 500, &json!({}), &json!({"requestState": asked["requestState"]})));
    assert_eq!(again["resultType"], "input_required");
    assert_ne!(again["requestState"], asked["requestState"]);
    let late = stateless(8, 500, &json!({}), &back(&again["requestState"], "accept"));
    place.later(601);
    assert_eq!(text(&place.result(&late)), "`pay` did not run: the time to approve it is over.");
}

#[test]
fn without_sessions_only_clients_that_offer_forms_are_asked() {
    let place = place(ASKS, Settings::default());
    let url = place.result(&stateless(1, 500, &json!({"url": {}}), &json!({})));
    assert!(text(&url).ends_with("Nobody is there to approve it."), "{url}");
    let none = place.result(&stateless(2, 500, &Value::Null, &json!({})));
    assert!(text(&none).ends_with("Nobody is there to approve it."), "{none}");
}

#[test]
fn a_state_of_the_servers_own_passes() {
    let place = place(ASKS, Settings::default());
    let call = stateless(1, 5, &json!({}), &json!({"requestState": "the server's", "inputResponses": {}}));
    place.forwards(&call);
}

#[test]
fn what_was_asked_is_bounded() {
    let place = place(ASKS, Settings::default());
    let first = place.result(&stateless(0, 500, &json!({}), &json!({})));
    for id in 1..=1_024 {
        place.result(&stateless(id, 500, &json!({}), &json!({})));
    }
    assert_eq!(lock(&place.gate.traffic).questions.len(), MOST_WAITING);
    let late = place.result(&stateless(2_000, 500, &json!({}), &back(&first["requestState"], "accept")));
    assert_eq!(late["code"], INVALID_PARAMS);
    place.gate.expire(place.later(601));
    assert_eq!(lock(&place.gate.traffic).questions.len(), 0);
}

/// A desk that says what it was told to, and what it was asked.
struct Says(Standing, bool, Arc<Mutex<Vec<(String, Value)>>>);

impl Desk for Says {
    fn ask(&self, sought: &Sought<'_>) -> Standing {
        self.2.lock().unwrap().push((sought.name.to_owned(), sought.request.args().clone()));
        self.0.clone()
    }

    fn is_sole(&self) -> bool {
        self.1
    }
}

#[test]
fn no_person_expiry_and_nobody_have_words_of_their_own() {
    let said = |standing: Standing| {
        let asked = Arc::default();
        let desk = Says(standing, false, Arc::clone(&asked));
        let place = place(ASKS, Settings { desk: Some(Box::new(desk)), ..Settings::default() });
        let text = text(&place.result(&pay(1, 500))).to_owned();
        assert_eq!(*asked.lock().unwrap(), [("big".to_owned(), json!({"amount": 500}))]);
        text
    };
    let waits = said(Standing::Waiting("r1".to_owned()));
    assert!(
        waits.contains("a person has to approve it") && waits.contains("The request for approval is `r1`"),
        "{waits}"
    );
    let no = said(Standing::Denied(Some("ann".to_owned()), Some("not today".to_owned())));
    assert_eq!(no, "`pay` did not run: a person did not approve it: not today.");
    assert_eq!(said(Standing::Expired), "`pay` did not run: the time to approve it is over.");
    assert!(
        said(Standing::Failed("the disk is full".to_owned())).ends_with("Nobody could be asked: the disk is full.")
    );
    let place = place(BLOCKS, Settings::default());
    assert!(text(&place.result(&pay(1, 500))).contains("the contract `big` blocks it"));
}

#[test]
fn a_desk_that_is_the_only_one_keeps_the_client_from_being_asked() {
    let desk = Says(Standing::Granted(Some("ann".to_owned())), true, Arc::default());
    let place = place(ASKS, Settings { desk: Some(Box::new(desk)), ..Settings::default() });
    place.forwards(&message(0, "initialize", &json!({"capabilities": {"elicitation": {}}})));
    place.forwards(&pay(1, 500));
    place.forwards(&stateless(2, 500, &json!({}), &json!({})));
}

#[test]
fn calls_with_one_id_do_not_get_in_each_others_way() {
    let place = place(ASKS, Settings::default());
    let asked = place.result(&stateless(1, 500, &json!({}), &json!({})));
    place.forwards(&stateless(1, 5, &json!({}), &json!({})));
    let retry = stateless(2, 500, &json!({}), &back(&asked["requestState"], "accept"));
    assert!(matches!(place.gate.from_client(retry.as_bytes()), Action::Forward(_)));
}
