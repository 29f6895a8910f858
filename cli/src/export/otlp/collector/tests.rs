use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Mutex;
use std::thread::JoinHandle;

use super::*;

/// What a request looked like: its head and its body.
type Seen = Vec<(String, String)>;

/// A collector that gives these answers, one after the other, each on a connection of its own.
fn stub(answers: Vec<&'static str>) -> (String, JoinHandle<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serve = move || {
        let mut seen = Seen::new();
        for answer in answers {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(&stream);
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                assert_ne!(reader.read_line(&mut head).unwrap(), 0, "{head}");
            }
            let length =
                head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            let mut body = vec![0; length.unwrap()];
            reader.read_exact(&mut body).unwrap();
            seen.push((head, String::from_utf8(body).unwrap()));
            (&stream).write_all(answer.as_bytes()).unwrap();
        }
        seen
    };
    (format!("http://{address}"), std::thread::spawn(serve))
}

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
const LATER: &str = "HTTP/1.1 503 Busy\r\nretry-after: 7\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
const OFTEN: &str = "HTTP/1.1 429 Slow\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

static PAUSES: Mutex<Vec<Duration>> = Mutex::new(Vec::new());

fn remember(pause: Duration) {
    PAUSES.lock().unwrap().push(pause);
}

#[test]
fn a_busy_collector_is_asked_again_after_the_wait_it_names() {
    let (address, served) = stub(vec![LATER, OFTEN, OK]);
    let mut collector = Collector::new(&address, Some("authorization=Bearer%20s3cret,x-team=a"), None).unwrap();
    collector.pause = remember;
    collector.request(r#"{"resourceSpans":[]}"#).unwrap();
    assert_eq!(*PAUSES.lock().unwrap(), [Duration::from_secs(7), Duration::from_secs(2)]);
    let seen = served.join().unwrap();
    assert_eq!(seen.len(), 3);
    for (head, body) in &seen {
        let head = head.to_lowercase();
        assert!(head.starts_with("post /v1/traces http/1.1\r\n"), "{head}");
        assert!(head.contains("\r\ncontent-type: application/json\r\n"), "{head}");
        assert!(head.contains("\r\nauthorization: bearer s3cret\r\n"), "{head}");
        assert!(head.contains("\r\nx-team: a\r\n"), "{head}");
        assert_eq!(body, r#"{"resourceSpans":[]}"#);
    }
}

#[test]
fn a_collector_that_stays_busy_is_given_up() {
    let (address, served) = stub(vec![OFTEN; 5]);
    let mut collector = Collector::new(&address, None, None).unwrap();
    collector.pause = |_| ();
    let error = collector.request("{}").unwrap_err().to_string();
    assert_eq!(error, format!("the collector at `{address}/v1/traces` did not take the spans: it answered 429"));
    assert_eq!(served.join().unwrap().len(), 5);
}

#[test]
fn a_refusal_or_a_redirection_is_final() {
    for answer in [
        "HTTP/1.1 400 Bad\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        "HTTP/1.1 302 Elsewhere\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
    ] {
        let (address, served) = stub(vec![answer]);
        let mut collector = Collector::new(&format!("{address}/custom?key=hidden"), None, None).unwrap();
        collector.pause = |_| panic!("it must not be asked again");
        let error = collector.request("{}").unwrap_err().to_string();
        assert!(error.starts_with(&format!("the collector at `{address}/custom` did not")), "{error}");
        assert!(served.join().unwrap()[0].0.starts_with("POST /custom?key=hidden "));
    }
}

#[test]
fn rejected_spans_are_counted() {
    let answer = r#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"no"}}"#;
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{answer}", answer.len());
    let (address, served) = stub(vec![answer.leak()]);
    let mut collector = Collector::new(&address, None, None).unwrap();
    collector.request("{}").unwrap();
    assert_eq!(collector.rejected, 3);
    served.join().unwrap();
}

#[test]
fn a_collector_that_is_not_there_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let mut collector = Collector::new(&format!("http://user:s3cret@{address}/v1/traces"), None, None).unwrap();
    collector.pause = |_| ();
    let error = collector.request("{}").unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("the collector at `http://{address}/v1/traces` did not take the spans: ")),
        "{error}"
    );
    assert!(!error.contains("s3cret"));
}

#[test]
fn addresses_and_headers_that_are_none_are_refused() {
    for endpoint in ["", "collector:4318", "ftp://h/", "http://", "/v1/traces", "http://a b/"] {
        assert!(Collector::new(endpoint, None, None).is_err(), "{endpoint}");
    }
    for headers in ["name", "a b=c", "a=%zz", "a=%0d%0ax", "a=b,=c"] {
        let error = Collector::new("http://h", Some(headers), None).unwrap_err();
        assert_eq!(error, "`OTEL_EXPORTER_OTLP_HEADERS` is not of the form `name=value,name=value`");
    }
}
