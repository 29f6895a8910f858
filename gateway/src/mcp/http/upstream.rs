//! Connections to the server.
//!
//! INVARIANT: a message is sent once. It is sent again only if it is certain that nothing of it went out.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{HOST, HeaderValue};
use hyper::{Request, Response, Uri};
use hyper_util::rt::TokioIo;
use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

use super::body::Body;
use crate::mcp::gate::lock;

/// How long it may take to connect, and again to agree on TLS.
const CONNECT: Duration = Duration::from_secs(1);

/// How long a connection without a request is kept.
const KEPT: Duration = Duration::from_secs(30);

/// Most connections without a request.
const MOST_KEPT: usize = 256;

/// A server that is reached over HTTP.
pub struct Upstream {
    host: String,
    port: u16,
    authority: HeaderValue,
    target: Uri,
    tls: Option<(TlsConnector, ServerName<'static>)>,
    idle: Mutex<Vec<(SendRequest<Body>, Instant)>>,
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream").field("host", &self.host).field("port", &self.port).finish_non_exhaustive()
    }
}

/// Why a message has no response.
#[derive(Debug)]
pub(super) enum Failure {
    /// It was not sent.
    NotSent(String),
    /// Nobody knows what the server made of it.
    Lost,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSent(why) => write!(f, "the message did not reach the server: {why}"),
            Self::Lost => f.write_str("the connection to the server broke before it answered"),
        }
    }
}

/// A connection in use. Whoever has read the whole response gives it back.
pub(super) struct Lease {
    upstream: Arc<Upstream>,
    sender: SendRequest<Body>,
}

impl Lease {
    /// The response was read to its end.
    pub(super) fn give_back(self) {
        if self.sender.is_closed() {
            return;
        }
        let mut idle = lock(&self.upstream.idle);
        if idle.len() < MOST_KEPT {
            idle.push((self.sender, Instant::now()));
        }
    }
}

impl Upstream {
    /// A server by its address. For `https`, the roots that browsers trust, or those of `roots` alone, as PEM.
    ///
    /// # Errors
    /// In words, what is wrong with the address or the roots.
    pub fn new(url: &str, roots: Option<&[u8]>) -> Result<Self, String> {
        let uri: Uri = url.parse().map_err(|_| format!("`{url}` is no URL"))?;
        let authority = uri.authority().ok_or_else(|| format!("`{url}` has no host"))?;
        if authority.as_str().contains('@') {
            return Err("a URL with a password in it is seen by others; let the client send a header".to_owned());
        }
        let is_secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(format!("`{url}` is neither `http` nor `https`")),
        };
        if roots.is_some() && !is_secure {
            return Err(format!("certificates are of no use for `{url}`, which is not `https`"));
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        let tls = if is_secure {
            let name = ServerName::try_from(host.clone()).map_err(|_| format!("`{host}` cannot have a certificate"))?;
            Some((connector(roots)?, name))
        } else {
            None
        };
        let target = uri.path_and_query().map_or("/", |target| target.as_str());
        Ok(Self {
            port: authority.port_u16().unwrap_or(if is_secure { 443 } else { 80 }),
            authority: HeaderValue::from_str(authority.as_str()).map_err(|_| format!("`{url}` is no URL"))?,
            target: target.parse().map_err(|_| format!("`{url}` is no URL"))?,
            host,
            tls,
            idle: Mutex::new(Vec::new()),
        })
    }

    /// Sends a request, of which the target and `Host` are put in, and waits for the head of the response.
    pub(super) async fn send(
        self: &Arc<Self>,
        mut request: Request<Body>,
    ) -> Result<(Response<Incoming>, Lease), Failure> {
        *request.uri_mut() = self.target.clone();
        request.headers_mut().insert(HOST, self.authority.clone());
        while let Some(mut sender) = self.kept() {
            // It may have been closed while nobody looked.
            if sender.ready().await.is_err() {
                continue;
            }
            match sender.try_send_request(request).await {
                Ok(response) => return Ok((response, Lease { upstream: Arc::clone(self), sender })),
                Err(mut error) => match error.take_message() {
                    Some(unsent) => request = unsent,
                    None => return Err(Failure::Lost),
                },
            }
        }
        let mut sender = self.connect().await.map_err(|error| Failure::NotSent(error.to_string()))?;
        match sender.try_send_request(request).await {
            Ok(response) => Ok((response, Lease { upstream: Arc::clone(self), sender })),
            Err(mut error) => match error.take_message() {
                Some(_) => Err(Failure::NotSent("it closed the connection".to_owned())),
                None => Err(Failure::Lost),
            },
        }
    }

    fn kept(&self) -> Option<SendRequest<Body>> {
        let mut idle = lock(&self.idle);
        while let Some((sender, since)) = idle.pop() {
            if since.elapsed() > KEPT {
                // All below it are older.
                idle.clear();
                return None;
            }
            if !sender.is_closed() {
                return Some(sender);
            }
        }
        None
    }

    async fn connect(&self) -> io::Result<SendRequest<Body>> {
        let late = || io::Error::new(io::ErrorKind::TimedOut, "it does not answer");
        let stream =
            timeout(CONNECT, TcpStream::connect((self.host.as_str(), self.port))).await.map_err(|_| late())??;
        probe(&stream);
        match &self.tls {
            None => handshake(stream).await,
            Some((connector, name)) => {
                let stream = timeout(CONNECT, connector.connect(name.clone(), stream)).await.map_err(|_| late())??;
                handshake(stream).await
            }
        }
    }
}

/// Sends what is written at once, and asks a silent peer now and then whether it is still there.
pub(super) fn probe(stream: &TcpStream) {
    // A connection without either works as well.
    let _ = stream.set_nodelay(true);
    let probes = TcpKeepalive::new().with_time(SILENT).with_interval(BETWEEN);
    let _ = SockRef::from(stream).set_tcp_keepalive(&probes);
}

/// After how long a silent peer is asked whether it is there, and how often then.
const SILENT: Duration = Duration::from_secs(10);
const BETWEEN: Duration = Duration::from_secs(2);

async fn handshake<S>(stream: S) -> io::Result<SendRequest<Body>>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin + 'static,
{
    let (sender, connection) = http1::Builder::new().handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    tokio::spawn(connection);
    Ok(sender)
}

fn connector(roots: Option<&[u8]>) -> Result<TlsConnector, String> {
    let mut store = RootCertStore::empty();
    match roots {
        None => store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(pem) => {
            for certificate in CertificateDer::pem_slice_iter(pem) {
                let certificate = certificate.map_err(|error| format!("a certificate cannot be read: {error:?}"))?;
                store.add(certificate).map_err(|error| format!("a certificate cannot be used: {error}"))?;
            }
            if store.is_empty() {
                return Err("no certificate is among them".to_owned());
            }
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok(TlsConnector::from(Arc::new(config.with_root_certificates(store).with_no_client_auth())))
}
