//! Which records are shown.

use std::collections::{BTreeMap, BTreeSet};

use contract_lang::mir::{Glob, Names};
use contract_runtime::journal::Record;
use contract_runtime::journal::record::{Body, Finding};

use crate::args;

/// The most sessions, and calls in flight, of which is remembered whose they are.
const MOST: usize = 10_000;

/// What the arguments ask for.
#[derive(Debug)]
pub(super) struct Filter<'a> {
    args: &'a args::Show,
    sessions: Vec<Glob>,
    agents: Vec<Glob>,
    tools: Vec<Names>,
    rules: Vec<Glob>,
    /// The sessions that run, and whether they are of an agent that is asked for.
    running: BTreeMap<String, bool>,
    /// The calls in flight of tools that are asked for, by their decisions.
    flights: BTreeSet<u64>,
    /// Whether there were more than are remembered.
    full: bool,
}

impl<'a> Filter<'a> {
    pub(super) fn new(args: &'a args::Show) -> Self {
        let globs = |texts: &[String]| texts.iter().map(|text| Glob::new(text)).collect();
        let names = |text: &String| match text.split_once("::") {
            Some((server, tool)) => Names { server: Some(Glob::new(server)), tool: Glob::new(tool) },
            None => Names { server: None, tool: Glob::new(text) },
        };
        Self {
            args,
            sessions: globs(&args.session),
            agents: globs(&args.agent),
            tools: args.tool.iter().map(names).collect(),
            rules: globs(&args.rule),
            running: BTreeMap::new(),
            flights: BTreeSet::new(),
            full: false,
        }
    }

    /// Whether some records are left out.
    pub(super) fn selects(&self) -> bool {
        let args = self.args;
        let lists = [&args.session, &args.agent, &args.tool, &args.rule, &args.decision, &args.kind];
        lists.into_iter().any(|list| !list.is_empty()) || args.since.is_some() || args.until.is_some()
    }

    /// Whether more was under way at once than is remembered: then records are shown that may not be asked for.
    pub(super) fn full(&self) -> bool {
        self.full
    }

    /// Whether a record is shown. Every record is asked for, in order.
    pub(super) fn takes(&mut self, record: &Record) -> bool {
        let of_agent = self.is_of_agent(record);
        let of_tool = self.is_of_tool(record);
        let (head, body) = (&record.head, &record.body);
        let is_kind = self.args.kind.is_empty() || self.args.kind.iter().any(|kind| kind == body.kind());
        let is_decided = self.args.decision.is_empty()
            || matches!(body, Body::Decided(call) if self.args.decision.iter().any(|of| of == call.decision.as_str()));
        of_agent
            && of_tool
            && is_kind
            && is_decided
            && self.args.since.is_none_or(|since| head.at >= since)
            && self.args.until.is_none_or(|until| head.at < until)
            && matches(&self.sessions, head.session.as_deref())
            && self.is_of_rule(body)
    }

    fn is_of_agent(&mut self, record: &Record) -> bool {
        if self.agents.is_empty() {
            return true;
        }
        let Some(session) = record.head.session.as_deref() else { return false };
        let known = match &record.body {
            Body::SessionStart(start) => {
                let wanted = matches(&self.agents, start.agent.as_ref().map(|agent| &*agent.name));
                if self.running.len() < MOST || self.running.contains_key(session) {
                    self.running.insert(session.to_owned(), wanted);
                } else {
                    self.full = true;
                }
                Some(wanted)
            }
            Body::SessionEnd(_) => self.running.remove(session),
            _ => self.running.get(session).copied(),
        };
        let by_sub_agent = matches!(&record.body, Body::Decided(call)
            if call.agent.as_deref().is_some_and(|agent| self.agents.iter().any(|glob| glob.matches(agent))));
        // What may be asked for is shown.
        known.unwrap_or(self.full) || by_sub_agent
    }

    fn is_of_tool(&mut self, record: &Record) -> bool {
        if self.tools.is_empty() {
            return true;
        }
        match &record.body {
            Body::Decided(call) => {
                let wanted = self.tools.iter().any(|names| names.matches(&call.tool, call.server.as_deref()));
                if wanted && call.ran {
                    if self.flights.len() < MOST {
                        self.flights.insert(record.head.seq);
                    } else {
                        self.full = true;
                    }
                }
                wanted
            }
            Body::Outcome(outcome) => {
                // An outcome does not say the server.
                let known = outcome.decision.is_some_and(|decision| self.flights.remove(&decision));
                known || (self.full && self.tools.iter().any(|names| names.tool.matches(&outcome.tool)))
            }
            _ => false,
        }
    }

    fn is_of_rule(&self, body: &Body<'_>) -> bool {
        let found = |findings: &[Finding<'_>]| findings.iter().any(|finding| matches(&self.rules, Some(&finding.rule)));
        self.rules.is_empty()
            || match body {
                Body::Decided(call) => found(&call.findings),
                Body::Outcome(outcome) => found(&outcome.findings),
                Body::Event(event) => found(&event.findings),
                Body::Passed(passed) => found(&passed.findings),
                Body::SessionEnd(end) => found(&end.findings),
                Body::Retirement(retirement) => matches(&self.rules, Some(&retirement.rule)),
                _ => false,
            }
    }
}

/// Whether a name is asked for: any is, where nothing is asked for.
fn matches(globs: &[Glob], name: Option<&str>) -> bool {
    globs.is_empty() || name.is_some_and(|name| globs.iter().any(|glob| glob.matches(name)))
}
