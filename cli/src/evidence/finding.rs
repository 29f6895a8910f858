//! What a recorded finding means, in the words of the contract that was in force.

use contract_lang::mir::{Contract, Rule};
use contract_runtime::journal::record::{self, Why};
use contract_runtime::{ContractInfo, Reason, Subject, message, what_helps};

/// What a finding says, and what would help.
pub(crate) struct Said {
    pub(crate) message: String,
    pub(crate) helps: Option<String>,
}

/// The rule that a finding is from; `None` for the default and the like.
pub(crate) fn rule<'c>(contract: &'c Contract, finding: &record::Finding<'_>) -> Option<(usize, &'c Rule)> {
    contract.rules.iter().enumerate().find(|(_, rule)| rule.id == finding.rule)
}

/// A finding in words. Its key is not in them: the journal has only its digest.
pub(crate) fn say(contract: &Contract, info: &ContractInfo, finding: &record::Finding<'_>) -> Said {
    let subject = match (rule(contract, finding), finding.rule.as_ref()) {
        (Some((index, _)), _) => u16::try_from(index).map_or(Subject::Default, Subject::Rule),
        (None, "undeclared") => Subject::Undeclared,
        (None, "default") => Subject::Default,
        (None, _) => Subject::State(0),
    };
    let mut of = contract_runtime::Finding::new(subject, finding.verdict, finding.action, reason(finding));
    of.help = finding.help.as_ref().map(ToString::to_string);
    of.source = finding.source.as_ref().map(ToString::to_string);
    let helps = what_helps(info, &of).map(ToOwned::to_owned);
    let mut message = message(info, &of);
    if let Some(helps) = &helps
        && let Some(rest) = message.strip_suffix(helps.as_str())
    {
        message = rest.trim_end_matches(". What helps: ").to_owned();
    }
    if let Some(source) = &finding.source {
        message.push_str(&format!("; the value is from a result of `{source}`"));
    }
    Said { message, helps }
}

fn reason(finding: &record::Finding<'_>) -> Reason {
    let clause = finding.clause.and_then(|clause| u16::try_from(clause).ok());
    match finding.reason {
        Why::Clause => clause.map_or(Reason::Rule, Reason::Clause),
        // Where the value is from is said by the source.
        Why::Rule | Why::Flow => Reason::Rule,
        Why::UnreadableKey => Reason::UnreadableKey,
        Why::InstancesFull => Reason::InstancesFull,
        Why::Forgotten => Reason::Forgotten,
        Why::FilterFull => Reason::FilterFull,
        Why::NoPermit => Reason::NoPermit,
        Why::UnknownTool => Reason::UnknownTool,
        Why::Ended => Reason::Ended,
        Why::Expired => Reason::Expired,
        Why::Guarded => Reason::Guarded,
        Why::Rewrite => Reason::Rewrite,
        Why::Rewritten => Reason::Rewritten,
        Why::Redacted => Reason::Redacted,
        Why::Full => Reason::Full,
        Why::CellFull => Reason::CellFull,
        Why::BadValue => Reason::BadValue,
        Why::Changed => Reason::Changed,
    }
}
