//! What breaks.

use std::net::{Shutdown, TcpListener};
use std::sync::Mutex;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use interlock_gateway::mcp::http::{Guarded, Options, Upstream};
use interlock_gateway::mcp::stdio::Signal;
use interlock_gateway::mcp::{LONGEST, Settings};

use crate::network::{CONTRACT, Guard, PATIENCE, Stub, Wire, call, initialize, plain, result};

/// A stub that answers calls with what a test says.
fn breaking(answer: impl Fn(&mut Wire) + Send + Sync + 'static) -> Stub {
    let sessions = Mutex::new(0);
    Stub::new(
        move |heard, wire| {
            if heard.json()["method"] == "tools/call" { answer(wire) } else { plain(heard, wire, &sessions) }
        },
    )
}

#[test]
fn a_server_that_is_not_there_is_told_of_at_once() {
    let nowhere = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let options = Options { key: interlock_gateway::mcp::http::SessionKey::Bearer, ..Options::default() };
    let guard = Guard::with(&format!("http://{nowhere}/mcp"), CONTRACT, options);
    let own = [("Authorization", "Bearer t")];
    let mut client = guard.client();
    for id in 1..4 {
        // It did not run, so it may be tried again.
        let answer = client.post(&own, &call(id, "pay"));
        assert_eq!((answer.status(), &answer.json()["id"]), (502, &id.into()));
        assert!(answer.text().contains("did not reach the server"), "{}", answer.text());
    }
}

#[test]
fn a_connection_that_breaks_is_told_of_at_once_and_nobody_knows_what_ran() {
    // Closed, half closed, and in the middle of an answer.
    let breaks: [fn(&mut Wire); 3] = [
        |wire| wire.from.get_ref().shutdown(Shutdown::Both).unwrap(),
        |wire| wire.from.get_ref().shutdown(Shutdown::Write).unwrap(),
        |wire| {
            wire.say("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{");
            wire.from.get_ref().shutdown(Shutdown::Write).unwrap();
        },
    ];
    for (number, breaks) in breaks.into_iter().enumerate() {
        let stub = breaking(breaks);
        let guard = Guard::plain(&stub);
        let (mut client, session) = guard.begun();
        let own = [("Mcp-Session-Id", session.as_str())];
        let answer = client.post(&own, &call(1, "pay"));
        assert_eq!((answer.status(), &answer.json()["id"]), (502, &1.into()), "{number}");
        assert!(answer.text().contains("nobody knows whether it ran"), "{}", answer.text());
        assert!(client.post(&own, &call(2, "pay")).text().contains("did not run"), "{number}");
        assert_eq!(stub.calls("pay"), 1, "{number}");
    }
}

#[test]
fn a_connection_that_was_closed_meanwhile_is_opened_anew() {
    let sessions = Mutex::new(0);
    let stub = Stub::new(move |heard, wire| {
        plain(heard, wire, &sessions);
        // The other side may have gone first.
        let _ = wire.from.get_ref().shutdown(Shutdown::Both);
    });
    let guard = Guard::plain(&stub);
    let (mut client, session) = guard.begun();
    let mut ran = 0;
    for id in 1..20 {
        let answer = client.post(&[("Mcp-Session-Id", &session)], &call(id, "read"));
        // What goes out before the end of the connection is seen is lost with it: nobody may send it a second time.
        assert!(answer.ran() || answer.text().contains("nobody knows whether it ran"), "{}", answer.text());
        ran += usize::from(answer.ran());
    }
    assert!(ran > 0);
    assert!(stub.calls("read") >= ran);
}

#[test]
fn when_the_client_goes_the_server_is_told_and_nobody_knows_what_ran() {
    let (tell, told) = mpsc::channel();
    let tell = Mutex::new(tell);
    let stub = breaking(move |wire| {
        tell.lock().unwrap().send("asked").unwrap();
        // Nothing more comes: the end of the connection does.
        assert!(wire.hear().is_none());
        tell.lock().unwrap().send("gone").unwrap();
    });
    let guard = Guard::plain(&stub);
    let (mut client, session) = guard.begun();
    let own = [("Mcp-Session-Id", session.as_str())];
    client.ask("POST", &own, &call(1, "pay"));
    assert_eq!(told.recv_timeout(PATIENCE), Ok("asked"));
    drop(client);
    assert_eq!(told.recv_timeout(PATIENCE), Ok("gone"));
    assert!(guard.client().post(&own, &call(2, "pay")).text().contains("did not run"));
    // And the id is free again.
    assert!(guard.client().post(&own, &call(1, "drop")).text().contains("did not run"));
}

#[test]
fn a_redirection_does_not_lead_past_the_guard() {
    let stub = breaking(|wire| wire.answer("307 Temporary Redirect", &[("location", "http://elsewhere/mcp")], b""));
    let guard = Guard::plain(&stub);
    let (mut client, session) = guard.begun();
    let answer = client.post(&[("Mcp-Session-Id", &session)], &call(1, "read"));
    assert_eq!((answer.status(), answer.header("location")), (502, None));
}

#[test]
fn errors_of_the_server_pass_and_a_refused_call_did_not_run() {
    let statuses = Mutex::new(vec!["500 Internal Server Error", "401 Unauthorized"]);
    let stub = breaking(move |wire| {
        let status = statuses.lock().unwrap().pop().unwrap_or("200 OK");
        wire.answer(status, &[("content-type", "text/plain"), ("www-authenticate", "Bearer")], b"who are you?");
    });
    let guard = Guard::plain(&stub);
    let (mut client, session) = guard.begun();
    let own = [("Mcp-Session-Id", session.as_str())];
    let answer = client.post(&own, &call(1, "pay"));
    assert_eq!((answer.status(), answer.header("www-authenticate")), (401, Some("Bearer")));
    assert_eq!(answer.text(), "who are you?");
    // Of what it failed at, nobody knows how far it came.
    assert_eq!(client.post(&own, &call(2, "pay")).status(), 500);
    assert!(client.post(&own, &call(3, "pay")).text().contains("did not run"));
    assert_eq!(stub.calls("pay"), 2);
}

#[test]
fn an_answer_that_is_no_message_is_not_passed_on() {
    let stub = breaking(|wire| wire.answer("200 OK", &[("content-type", "text/plain")], result(&1.into()).as_bytes()));
    let guard = Guard::plain(&stub);
    let (mut client, session) = guard.begun();
    let answer = client.post(&[("Mcp-Session-Id", &session)], &call(1, "read"));
    assert_eq!((answer.status(), &answer.json()["error"]["code"]), (502, &(-32011).into()));
}

#[test]
fn too_long_a_message_is_refused_before_it_is_read() {
    let stub = Stub::plain();
    let guard = Guard::plain(&stub);
    let (mut client, session) = guard.begun();
    let length = (LONGEST + 1).to_string();
    client.ask("POST", &[("Mcp-Session-Id", &session), ("Content-Length", &length)], b"{");
    assert_eq!(client.hear().unwrap().status(), 413);
}

#[test]
fn when_the_guard_ends_requests_have_their_time() {
    let (tell, told) = mpsc::channel();
    let (go, wait) = mpsc::channel::<()>();
    let (tell, wait) = (Mutex::new(tell), Mutex::new(wait));
    let stub = breaking(move |wire| {
        tell.lock().unwrap().send(()).unwrap();
        wait.lock().unwrap().recv_timeout(PATIENCE).unwrap();
        wire.answer("200 OK", &[], result(&1.into()).as_bytes());
    });
    let guard = Guard::plain(&stub);
    let (mut client, session) = guard.begun();
    client.ask("POST", &[("Mcp-Session-Id", &session)], &call(1, "read"));
    told.recv_timeout(PATIENCE).unwrap();
    let ended = thread::spawn(move || guard.end());
    go.send(()).unwrap();
    assert!(client.hear().unwrap().ran());
    assert_eq!(ended.join().unwrap(), 15);
}

#[test]
fn when_the_guard_ends_it_does_not_wait_for_ever() {
    let (tell, told) = mpsc::channel();
    let tell = Mutex::new(tell);
    let stub = breaking(move |wire| {
        tell.lock().unwrap().send(()).unwrap();
        let _ = wire.hear();
    });
    let guard = Guard::new(&stub, Options { grace: Duration::from_millis(50), ..Options::default() });
    let (mut client, session) = guard.begun();
    client.ask("POST", &[("Mcp-Session-Id", &session)], &call(1, "read"));
    told.recv_timeout(PATIENCE).unwrap();
    let before = Instant::now();
    assert_eq!(guard.end(), 15);
    assert!(before.elapsed() < PATIENCE);
}

#[test]
fn a_contract_is_loaded_again_for_each_session() {
    let stub = Stub::plain();
    let (tell, told) = mpsc::channel();
    let tell = Mutex::new(tell);
    let url = format!("http://{}/mcp", stub.address);
    let monitor = Guard::monitor(CONTRACT);
    let (signals, heard) = mpsc::channel();
    let start =
        move |_: &_| contract_runtime::Session::builder(monitor.monitor()).start().map_err(|error| error.to_string());
    let guarded = Guarded::new(Upstream::new(&url, None).unwrap(), Options::default(), start, Settings::default)
        .signals(heard)
        .on_reload(move |gates| {
            for gate in gates {
                tell.lock().unwrap().send(gate.session().info().name.to_string()).unwrap();
            }
        });
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let running = thread::spawn(move || guarded.run(listener).unwrap());
    for id in 0..2 {
        let mut client = Wire::new(std::net::TcpStream::connect(address).unwrap());
        assert_eq!(client.post(&[], &initialize(id)).status(), 200);
    }
    signals.send(Signal::Reload).unwrap();
    for _ in 0..2 {
        assert_eq!(told.recv_timeout(PATIENCE).unwrap(), "files");
    }
    signals.send(Signal::End(2)).unwrap();
    assert_eq!(running.join().unwrap(), 2);
}

#[test]
fn an_address_that_others_reach_needs_a_name() {
    let upstream = Upstream::new("http://127.0.0.1:9/mcp", None).unwrap();
    let monitor = Guard::monitor(CONTRACT);
    let start =
        move |_: &_| contract_runtime::Session::builder(monitor.monitor()).start().map_err(|error| error.to_string());
    let guarded = Guarded::new(upstream, Options::default(), start, Settings::default);
    let listener = TcpListener::bind("0.0.0.0:0").unwrap();
    assert!(guarded.run(listener).unwrap_err().to_string().contains("names"));
}

#[test]
fn addresses_of_servers_are_checked() {
    for url in ["", "localhost", "ftp://a/mcp", "http://user:secret@a/mcp", "/mcp"] {
        let error = Upstream::new(url, None).unwrap_err();
        assert!(!error.contains("secret"), "{error}");
    }
    assert!(Upstream::new("http://a/mcp", Some(b"")).is_err());
    assert!(Upstream::new("https://a/mcp", Some(b"no certificate")).is_err());
    assert!(Upstream::new("https://a/mcp", None).is_ok());
}
