//! Every contract of the corpus, compiled by the macro: the same answers as the interpreter and the reference, on the traces
//! of the corpus and on random ones.

use contract_lang::interpret::Interpreted;
use contract_runtime::Monitor;
use interlock_tests::corpus;
use interlock_tests::differential::{compare, same_answers};
use interlock_tests::generate::Seed;
use interlock_tests::generate::corpus::Vocabulary;

interlock::contracts!("contracts/actions.yaml");
interlock::contracts!("contracts/airline.yaml");
interlock::contracts!("contracts/allocations.yaml");
interlock::contracts!("contracts/at_most_n_times.yaml");
interlock::contracts!("contracts/at_most_total.yaml");
interlock::contracts!("contracts/call_facts.yaml");
interlock::contracts!("contracts/close_on.yaml");
interlock::contracts!("contracts/composite_key.yaml");
interlock::contracts!("contracts/context.yaml");
interlock::contracts!("contracts/decide.yaml");
interlock::contracts!("contracts/default_by_effect.yaml");
interlock::contracts!("contracts/effect_by_argument.yaml");
interlock::contracts!("contracts/forbid.yaml");
interlock::contracts!("contracts/groups.yaml");
interlock::contracts!("contracts/host_events.yaml");
interlock::contracts!("contracts/instances_full.yaml");
interlock::contracts!("contracts/key_per_tool.yaml");
interlock::contracts!("contracts/must_precede.yaml");
interlock::contracts!("contracts/mutually_exclusive.yaml");
interlock::contracts!("contracts/names.yaml");
interlock::contracts!("contracts/never_after.yaml");
interlock::contracts!("contracts/no_default.yaml");
interlock::contracts!("contracts/permit.yaml");
interlock::contracts!("contracts/predicates.yaml");
interlock::contracts!("contracts/rate_limit.yaml");
interlock::contracts!("contracts/required_before_session_end.yaml");
interlock::contracts!("contracts/result_keys.yaml");
interlock::contracts!("contracts/retail.yaml");
interlock::contracts!("contracts/returned_amount.yaml");
interlock::contracts!("contracts/shadow.yaml");
interlock::contracts!("contracts/shadow_rule.yaml");
interlock::contracts!("contracts/state_cells.yaml");
interlock::contracts!("contracts/succeeds_when.yaml");
interlock::contracts!("contracts/undeclared.yaml");
interlock::contracts!("contracts/unknown_outcomes.yaml");

/// The contract of a name, for the other engines.
fn interpreted(name: &str) -> Interpreted {
    let text = std::fs::read_to_string(corpus::path(&format!("contracts/{name}.yaml"))).unwrap();
    corpus::interpreted(name, &text).unwrap_or_else(|error| panic!("{error}"))
}

/// Random sessions of one contract in all three engines.
fn agree<M: Monitor>(name: &str, fresh: impl Fn() -> M) {
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
        if let Err(difference) = compare(contract, fresh(), &trace) {
            panic!("{name}, seed {number}: the reference is there: {difference}\n{}", steps());
        }
    }
}

/// The traces of the corpus, compiled.
fn expected<M: Monitor>(name: &str, fresh: impl Fn() -> M) {
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
                    super::expected(stringify!($name), super::$monitor::new);
                }

                #[test]
                fn three_engines_agree_on_random_sessions() {
                    super::agree(stringify!($name), super::$monitor::new);
                }
            }
        )*
    };
}

engines! {
    actions: Actions,
    airline: Airline,
    allocations: Allocations,
    at_most_n_times: AtMostNTimes,
    at_most_total: AtMostTotal,
    call_facts: CallFacts,
    close_on: CloseOn,
    composite_key: CompositeKey,
    context: Context,
    decide: Decide,
    default_by_effect: DefaultByEffect,
    effect_by_argument: EffectByArgument,
    forbid: Forbid,
    groups: Groups,
    host_events: HostEvents,
    instances_full: InstancesFull,
    key_per_tool: KeyPerTool,
    must_precede: MustPrecede,
    mutually_exclusive: MutuallyExclusive,
    names: Names,
    never_after: NeverAfter,
    no_default: NoDefault,
    permit: Permit,
    predicates: Predicates,
    rate_limit: RateLimit,
    required_before_session_end: RequiredBeforeSessionEnd,
    result_keys: ResultKeys,
    retail: Retail,
    returned_amount: ReturnedAmount,
    shadow: Shadow,
    shadow_rule: ShadowRule,
    state_cells: StateCells,
    succeeds_when: SucceedsWhen,
    undeclared: Undeclared,
    unknown_outcomes: UnknownOutcomes,
}

#[test]
fn the_desks_of_tau_bench_are_guarded_by_compiled_contracts_too() {
    use contract_runtime::Decision;
    let cases = corpus::cases("retail_airline.jsonl").unwrap();
    assert_eq!(cases.len(), 239);
    for case in cases {
        let trace = case["trace"].as_array().unwrap();
        let replay = match case["contract"].as_str() {
            Some("retail") => corpus::replay(&Retail::new, trace),
            _ => corpus::replay(&Airline::new, trace),
        };
        let stopped = |(_, call): &(usize, &corpus::Decided)| call.decision >= Decision::Ask;
        let blocked: Vec<usize> = replay.unwrap().calls.iter().enumerate().filter(stopped).map(|(at, _)| at).collect();
        let deny: Vec<usize> = case["deny_at"].as_u64().map(|at| usize::try_from(at).unwrap()).into_iter().collect();
        assert_eq!(blocked, deny, "{}", case["id"]);
    }
}
