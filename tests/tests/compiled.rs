//! Every contract of the corpus, compiled by the macro: the same answers as the interpreter and the reference, on the traces
//! of the corpus and on random ones.

use contract_lang::interpret::Interpreted;
use interlock_tests::boxed::Boxed;
use interlock_tests::corpus;
use interlock_tests::differential::{compare_restored, same_answers};
use interlock_tests::evidence::journal_of;
use interlock_tests::generate::Seed;
use interlock_tests::generate::corpus::Vocabulary;

interlock::contracts!("contracts/actions.yaml");
interlock::contracts!("contracts/airline.yaml");
interlock::contracts!("contracts/allocations.yaml");
interlock::contracts!("contracts/alternate.yaml");
interlock::contracts!("contracts/approvals.yaml");
interlock::contracts!("contracts/at_most_distinct.yaml");
interlock::contracts!("contracts/at_most_n_times.yaml");
interlock::contracts!("contracts/at_most_open.yaml");
interlock::contracts!("contracts/at_most_total.yaml");
interlock::contracts!("contracts/between.yaml");
interlock::contracts!("contracts/broadcast.yaml");
interlock::contracts!("contracts/call_facts.yaml");
interlock::contracts!("contracts/calls_of_one_turn.yaml");
interlock::contracts!("contracts/close_on.yaml");
interlock::contracts!("contracts/code_freeze.yaml");
interlock::contracts!("contracts/compensation.yaml");
interlock::contracts!("contracts/composite_key.yaml");
interlock::contracts!("contracts/confirmed_action.yaml");
interlock::contracts!("contracts/consume.yaml");
interlock::contracts!("contracts/context.yaml");
interlock::contracts!("contracts/cooldown.yaml");
interlock::contracts!("contracts/customer_tables.yaml");
interlock::contracts!("contracts/decide.yaml");
interlock::contracts!("contracts/decision_overrides.yaml");
interlock::contracts!("contracts/decision_table.yaml");
interlock::contracts!("contracts/default_by_effect.yaml");
interlock::contracts!("contracts/desk_turns.yaml");
interlock::contracts!("contracts/divergence.yaml");
interlock::contracts!("contracts/effect_by_argument.yaml");
interlock::contracts!("contracts/ensure.yaml");
interlock::contracts!("contracts/evict.yaml");
interlock::contracts!("contracts/expires.yaml");
interlock::contracts!("contracts/fan_out.yaml");
interlock::contracts!("contracts/forbid.yaml");
interlock::contracts!("contracts/fresh.yaml");
interlock::contracts!("contracts/groups.yaml");
interlock::contracts!("contracts/guards.yaml");
interlock::contracts!("contracts/hidden_action.yaml");
interlock::contracts!("contracts/host_events.yaml");
interlock::contracts!("contracts/idle.yaml");
interlock::contracts!("contracts/inbox.yaml");
interlock::contracts!("contracts/instances_full.yaml");
interlock::contracts!("contracts/key_per_tool.yaml");
interlock::contracts!("contracts/key_phases.yaml");
interlock::contracts!("contracts/messages.yaml");
interlock::contracts!("contracts/missing.yaml");
interlock::contracts!("contracts/missing_result.yaml");
interlock::contracts!("contracts/moved_files.yaml");
interlock::contracts!("contracts/on_trial.yaml");
interlock::contracts!("contracts/must_be_followed_by.yaml");
interlock::contracts!("contracts/must_precede.yaml");
interlock::contracts!("contracts/mutually_exclusive.yaml");
interlock::contracts!("contracts/names.yaml");
interlock::contracts!("contracts/never_after.yaml");
interlock::contracts!("contracts/no_default.yaml");
interlock::contracts!("contracts/no_flow.yaml");
interlock::contracts!("contracts/normalisers.yaml");
interlock::contracts!("contracts/permit.yaml");
interlock::contracts!("contracts/predicates.yaml");
interlock::contracts!("contracts/private_repositories.yaml");
interlock::contracts!("contracts/rate_limit.yaml");
interlock::contracts!("contracts/read_before_write.yaml");
interlock::contracts!("contracts/redact.yaml");
interlock::contracts!("contracts/required_before_session_end.yaml");
interlock::contracts!("contracts/reset_on.yaml");
interlock::contracts!("contracts/response_between.yaml");
interlock::contracts!("contracts/result_keys.yaml");
interlock::contracts!("contracts/result_order.yaml");
interlock::contracts!("contracts/retail.yaml");
interlock::contracts!("contracts/returned_amount.yaml");
interlock::contracts!("contracts/rewrite.yaml");
interlock::contracts!("contracts/rule_modes.yaml");
interlock::contracts!("contracts/sequence.yaml");
interlock::contracts!("contracts/shadow.yaml");
interlock::contracts!("contracts/shadow_rule.yaml");
interlock::contracts!("contracts/state_cells.yaml");
interlock::contracts!("contracts/succeeds_when.yaml");
interlock::contracts!("contracts/telecom.yaml");
interlock::contracts!("contracts/tests_before_deploy.yaml");
interlock::contracts!("contracts/undeclared.yaml");
interlock::contracts!("contracts/unknown_outcomes.yaml");
interlock::contracts!("contracts/unless.yaml");
interlock::contracts!("contracts/void_on.yaml");
interlock::contracts!("contracts/when_full_alert.yaml");
interlock::contracts!("contracts/windows.yaml");

/// The contract of a name, for the other engines.
fn interpreted(name: &str) -> Interpreted {
    let text = std::fs::read_to_string(corpus::path(&format!("contracts/{name}.yaml"))).unwrap();
    corpus::interpreted(name, &text).unwrap_or_else(|error| panic!("{error}"))
}

/// Random sessions of one contract in all three engines.
fn agree(name: &str, fresh: fn() -> Boxed) {
    let interpreted = interpreted(name);
    let contract = interpreted.contract();
    let vocabulary = Vocabulary::of(contract);
    for number in 0..15 {
        let mut seed = Seed::new(number);
        let trace = vocabulary.trace(&mut seed, 40);
        let steps = || interlock_tests::generate::print("s", &trace);
        if let Err(difference) = same_answers(fresh(), interpreted.monitor(), contract, &trace) {
            panic!("{name}, seed {number}: compiled is here, interpreted is there: {difference}\n{}", steps());
        }
        // What they record is the same to the byte.
        if number < 3 {
            let [ours, theirs] =
                [journal_of(fresh(), contract, &trace), journal_of(interpreted.monitor(), contract, &trace)];
            assert_eq!(ours, theirs, "{name}, seed {number}\n{}", steps());
        }
        // Saved in the middle by one engine, and taken up by the other.
        let interpreted = Boxed::new(interpreted.monitor());
        let engines = if number % 2 == 0 { [fresh(), interpreted] } else { [interpreted, fresh()] };
        if let Err(difference) = compare_restored(contract, engines, &trace, trace.len() / 2) {
            panic!("{name}, seed {number}: the reference is there: {difference}\n{}", steps());
        }
    }
}

/// The traces of the corpus, compiled.
fn expected(name: &str, fresh: fn() -> Boxed) {
    let contracts = corpus::contracts().unwrap();
    let Some(contract) = contracts.iter().find(|contract| contract.name == name) else { return };
    for trace in &contract.traces {
        let found = corpus::replay(&fresh, &trace.lines).map(|replay| corpus::expectation(&replay));
        assert_eq!(found.as_ref(), Ok(&trace.expected), "{name}/{}", trace.name);
    }
}

macro_rules! engines {
    ($($name:ident: $monitor:ident,)*) => {
        $(
            mod $name {
                #[test]
                fn decides_the_corpus_as_written() {
                    super::expected(stringify!($name), || super::Boxed::new(super::$monitor::new()));
                }

                #[test]
                fn three_engines_agree_on_random_sessions() {
                    super::agree(stringify!($name), || super::Boxed::new(super::$monitor::new()));
                }
            }
        )*
    };
}

engines! {
    actions: Actions,
    airline: Airline,
    allocations: Allocations,
    alternate: Alternate,
    approvals: Approvals,
    at_most_distinct: AtMostDistinct,
    at_most_n_times: AtMostNTimes,
    at_most_open: AtMostOpen,
    at_most_total: AtMostTotal,
    between: Between,
    broadcast: Broadcast,
    call_facts: CallFacts,
    calls_of_one_turn: CallsOfOneTurn,
    close_on: CloseOn,
    code_freeze: CodeFreeze,
    compensation: Compensation,
    composite_key: CompositeKey,
    confirmed_action: ConfirmedAction,
    consume: Consume,
    context: Context,
    cooldown: Cooldown,
    customer_tables: CustomerTables,
    decide: Decide,
    decision_overrides: DecisionOverrides,
    decision_table: DecisionTable,
    default_by_effect: DefaultByEffect,
    desk_turns: DeskTurns,
    divergence: Divergence,
    effect_by_argument: EffectByArgument,
    ensure: Ensure,
    evict: Evict,
    expires: Expires,
    fan_out: FanOut,
    forbid: Forbid,
    fresh: Fresh,
    groups: Groups,
    guards: Guards,
    hidden_action: HiddenAction,
    host_events: HostEvents,
    idle: Idle,
    inbox: Inbox,
    instances_full: InstancesFull,
    key_per_tool: KeyPerTool,
    key_phases: KeyPhases,
    messages: Messages,
    missing: Missing,
    missing_result: MissingResult,
    moved_files: MovedFiles,
    on_trial: OnTrial,
    must_be_followed_by: MustBeFollowedBy,
    must_precede: MustPrecede,
    mutually_exclusive: MutuallyExclusive,
    names: Names,
    never_after: NeverAfter,
    no_default: NoDefault,
    no_flow: NoFlow,
    normalisers: Normalisers,
    permit: Permit,
    predicates: Predicates,
    private_repositories: PrivateRepositories,
    rate_limit: RateLimit,
    read_before_write: ReadBeforeWrite,
    redact: Redact,
    required_before_session_end: RequiredBeforeSessionEnd,
    reset_on: ResetOn,
    response_between: ResponseBetween,
    result_keys: ResultKeys,
    result_order: ResultOrder,
    retail: Retail,
    returned_amount: ReturnedAmount,
    rewrite: Rewrite,
    rule_modes: RuleModes,
    sequence: Sequence,
    shadow: Shadow,
    shadow_rule: ShadowRule,
    state_cells: StateCells,
    succeeds_when: SucceedsWhen,
    telecom: Telecom,
    tests_before_deploy: TestsBeforeDeploy,
    undeclared: Undeclared,
    unknown_outcomes: UnknownOutcomes,
    unless: Unless,
    void_on: VoidOn,
    when_full_alert: WhenFullAlert,
    windows: Windows,
}

#[test]
fn the_desks_of_tau_bench_are_guarded_by_compiled_contracts_too() {
    use contract_runtime::Decision;
    let cases = corpus::cases("retail_airline.jsonl").unwrap();
    assert_eq!(cases.len(), 239);
    for case in cases {
        let trace = case["trace"].as_array().unwrap();
        let replay = match case["contract"].as_str() {
            Some("retail") => corpus::replay(&|| Boxed::new(Retail::new()), trace),
            _ => corpus::replay(&|| Boxed::new(Airline::new()), trace),
        };
        let stopped = |(_, call): &(usize, &corpus::Decided)| call.decision >= Decision::Ask;
        let blocked: Vec<usize> = replay.unwrap().calls.iter().enumerate().filter(stopped).map(|(at, _)| at).collect();
        let deny: Vec<usize> = case["deny_at"].as_u64().map(|at| usize::try_from(at).unwrap()).into_iter().collect();
        assert_eq!(blocked, deny, "{}", case["id"]);
    }
}

/// The contracts of `cases/sessions`.
mod sessions {
    interlock::contracts!("cases/sessions/authenticated_reads.yaml");
    interlock::contracts!("cases/sessions/authenticated_sessions.yaml");
    interlock::contracts!("cases/sessions/backup_first.yaml");
    interlock::contracts!("cases/sessions/edit_after_read.yaml");
    interlock::contracts!("cases/sessions/failed_prerequisite.yaml");
    interlock::contracts!("cases/sessions/key_binding.yaml");
    interlock::contracts!("cases/sessions/once_per_payee.yaml");
    interlock::contracts!("cases/sessions/ping_rate.yaml");
    interlock::contracts!("cases/sessions/pre_state_args.yaml");
    interlock::contracts!("cases/sessions/report_before_end.yaml");
    interlock::contracts!("cases/sessions/second_payment.yaml");
    interlock::contracts!("cases/sessions/shell.yaml");
    interlock::contracts!("cases/sessions/shell_admin.yaml");
    interlock::contracts!("cases/sessions/support.yaml");
    interlock::contracts!("cases/sessions/tenant_rows.yaml");
}

macro_rules! replayed {
    ($name:expr, $trace:expr, $($contract:ident: $monitor:ident,)*) => {
        match $name {
            $(stringify!($contract) => corpus::replay(&|| Boxed::new(sessions::$monitor::new()), $trace),)*
            other => panic!("no contract {other}"),
        }
    };
}

#[test]
fn small_scenarios_are_decided_by_compiled_contracts_too() {
    let cases = corpus::cases("sessions.jsonl").unwrap();
    assert_eq!(cases.len(), 20);
    for case in cases {
        let replay = replayed! {
            case["contract"].as_str().unwrap(), case["trace"].as_array().unwrap(),
            authenticated_reads: AuthenticatedReads,
            authenticated_sessions: AuthenticatedSessions,
            backup_first: BackupFirst,
            edit_after_read: EditAfterRead,
            failed_prerequisite: FailedPrerequisite,
            key_binding: KeyBinding,
            once_per_payee: OncePerPayee,
            ping_rate: PingRate,
            pre_state_args: PreStateArgs,
            report_before_end: ReportBeforeEnd,
            second_payment: SecondPayment,
            shell: Shell,
            shell_admin: ShellAdmin,
            support: Support,
            tenant_rows: TenantRows,
        };
        assert_eq!(replay.and_then(|replay| corpus::scenario(&case, &replay)), Ok(()), "{}", case["id"]);
    }
}
