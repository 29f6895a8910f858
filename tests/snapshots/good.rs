/// The monitor of the contract `good`, for one session.
///
/// * `look-first`: `act` is allowed only after `look` has succeeded, for each `args.id`
/// * `seen-before`: `act` requires `args.id in state.seen`, `args.id matches r"^[a-z]+$"`
/// * `not-too-often`: `act` happens at most 3 times in any 1m
/// * `not-too-much`: the sum of `args.amount` over `act` is at most 10.5, for each `args.id`, `args.currency`
/// * `tidy`: before the session ends, `ok(close)` has happened and `event(reset)` has happened
#[derive(::core::fmt::Debug)]
pub struct Good {
    info: ::interlock::__private::ContractInfo,
    #[allow(dead_code)]
    state: ::interlock::__private::State,
    /// How many calls were admitted.
    position: ::core::primitive::u64,
    /// `look-first`: `act` is allowed only after `look` has succeeded, for each `args.id`
    rule_look_first: ::interlock::__private::Keyed<::interlock::__private::Belief>,
    /// `seen-before`: `act` requires `args.id in state.seen`, `args.id matches r"^[a-z]+$"`
    rule_seen_before: ::interlock::__private::Stateless,
    /// `not-too-often`: `act` happens at most 3 times in any 1m
    rule_not_too_often: ::interlock::__private::Single<::interlock::__private::Rate>,
    /// `not-too-much`: the sum of `args.amount` over `act` is at most 10.5, for each `args.id`, `args.currency`
    rule_not_too_much: ::interlock::__private::Keyed<::interlock::__private::Total>,
    /// `tidy`: before the session ends, `ok(close)` has happened and `event(reset)` has happened
    rule_tidy: ::interlock::__private::Single<::interlock::__private::Belief>,
}
#[allow(
    dead_code,
    unused_braces,
    unused_mut,
    unused_parens,
    unused_variables,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
const _: () = {
    use ::interlock::__private as __p;
    static RULES: [__p::RuleInfo; 5usize] = [
        __p::RuleInfo {
            id: __p::Cow::Borrowed("look-first"),
            title: __p::None,
            severity: __p::Severity::Medium,
            message: __p::None,
            says: __p::Cow::Borrowed(
                "`act` is allowed only after `look` has succeeded, for each `args.id`",
            ),
            advice: __p::Cow::Borrowed(
                "first make a call that matches `look` and succeeds, with the same key",
            ),
            vocabulary: __p::Vocabulary {
                patterns: __p::Cow::Borrowed(
                    &[__p::Cow::Borrowed("ok(look)"), __p::Cow::Borrowed("call(act)")],
                ),
                fresh: __p::None,
                elusive: true,
                keyed: true,
                joint: __p::Cow::Borrowed(&[]),
            },
            clauses: __p::Cow::Borrowed(&[]),
            tags: __p::Cow::Borrowed(&[]),
            mode: __p::Mode::Enforce,
            table: __p::DecisionTable::STANDARD,
            when_full: __p::WhenFull::Block,
            frees: true,
        },
        __p::RuleInfo {
            id: __p::Cow::Borrowed("seen-before"),
            title: __p::None,
            severity: __p::Severity::Medium,
            message: __p::None,
            says: __p::Cow::Borrowed(
                "`act` requires `args.id in state.seen`, `args.id matches r\"^[a-z]+$\"`",
            ),
            advice: __p::Cow::Borrowed(
                "make this hold first, with arguments or calls that establish it",
            ),
            vocabulary: __p::Vocabulary::NONE,
            clauses: __p::Cow::Borrowed(
                &[
                    __p::Cow::Borrowed("args.id in state.seen"),
                    __p::Cow::Borrowed("args.id matches r\"^[a-z]+$\""),
                ],
            ),
            tags: __p::Cow::Borrowed(&[]),
            mode: __p::Mode::Enforce,
            table: __p::DecisionTable::STANDARD,
            when_full: __p::WhenFull::Block,
            frees: false,
        },
        __p::RuleInfo {
            id: __p::Cow::Borrowed("not-too-often"),
            title: __p::None,
            severity: __p::Severity::Medium,
            message: __p::None,
            says: __p::Cow::Borrowed("`act` happens at most 3 times in any 1m"),
            advice: __p::Cow::Borrowed(
                "wait until fewer than 3 happened in the last 1m",
            ),
            vocabulary: __p::Vocabulary::NONE,
            clauses: __p::Cow::Borrowed(&[]),
            tags: __p::Cow::Borrowed(&[]),
            mode: __p::Mode::Enforce,
            table: __p::DecisionTable::STANDARD,
            when_full: __p::WhenFull::Block,
            frees: false,
        },
        __p::RuleInfo {
            id: __p::Cow::Borrowed("not-too-much"),
            title: __p::None,
            severity: __p::Severity::Medium,
            message: __p::None,
            says: __p::Cow::Borrowed(
                "the sum of `args.amount` over `act` is at most 10.5, for each `args.id`, `args.currency`",
            ),
            advice: __p::Cow::Borrowed(
                "give `args.amount` as a number that is not negative, smaller if little is left under 10.5",
            ),
            vocabulary: __p::Vocabulary::NONE,
            clauses: __p::Cow::Borrowed(&[]),
            tags: __p::Cow::Borrowed(&[]),
            mode: __p::Mode::Enforce,
            table: __p::DecisionTable::STANDARD,
            when_full: __p::WhenFull::Block,
            frees: false,
        },
        __p::RuleInfo {
            id: __p::Cow::Borrowed("tidy"),
            title: __p::None,
            severity: __p::Severity::Medium,
            message: __p::None,
            says: __p::Cow::Borrowed(
                "before the session ends, `ok(close)` has happened and `event(reset)` has happened",
            ),
            advice: __p::Cow::Borrowed("do what is required first"),
            vocabulary: __p::Vocabulary {
                patterns: __p::Cow::Borrowed(
                    &[
                        __p::Cow::Borrowed("ok(close)"),
                        __p::Cow::Borrowed("event(reset)"),
                    ],
                ),
                fresh: __p::None,
                elusive: false,
                keyed: false,
                joint: __p::Cow::Borrowed(&[]),
            },
            clauses: __p::Cow::Borrowed(&[]),
            tags: __p::Cow::Borrowed(&[]),
            mode: __p::Mode::Enforce,
            table: __p::DecisionTable::STANDARD,
            when_full: __p::WhenFull::Block,
            frees: false,
        },
    ];
    static MACHINE_0: __p::Machine<'static> = __p::Machine {
        width: 2u8,
        initial: 0u8,
        colours: &[__p::Colour::Open, __p::Colour::Satisfied, __p::Colour::Violated],
        delta: &[0, 1, 2, 0, 1, 1, 1, 1, 2, 2, 2, 2],
        stricter: &[3, 2, 7],
    };
    static MACHINE_4: __p::Machine<'static> = __p::Machine {
        width: 2u8,
        initial: 0u8,
        colours: &[
            __p::Colour::Pending,
            __p::Colour::Pending,
            __p::Colour::Pending,
            __p::Colour::Satisfied,
        ],
        delta: &[0, 1, 2, 0, 1, 1, 3, 1, 2, 3, 2, 2, 3, 3, 3, 3],
        stricter: &[15, 10, 12, 8],
    };
    const BOUND_2: <__p::Rate as __p::Cell>::Rule<'static> = __p::RateLimit {
        limit: 3u32,
        window: __p::Duration::from_nanos(60000000000),
    };
    const BOUND_3: <__p::Total as __p::Cell>::Rule<'static> = __p::Decimal::from_parts(
        105,
        1u8,
    );
    static PATTERN_0: __p::Search = __p::Search::new("^[a-z]+$");
    type Flight = __p::Notes<1usize>;
    impl Good {
        /// A fresh monitor, for one session.
        #[must_use]
        pub fn new() -> Self {
            Self {
                info: __p::ContractInfo {
                    name: __p::Cow::Borrowed("good"),
                    mode: __p::Mode::Enforce,
                    rules: __p::Cow::Borrowed(&RULES),
                    context: __p::list_of([
                        (__p::Cow::Borrowed("user"), __p::Type::String),
                    ]),
                    cells: __p::list_of([
                        __p::CellInfo {
                            name: __p::Cow::Borrowed("seen"),
                            ty: __p::Type::Set(__p::boxed(__p::Type::String)),
                            max: 10000usize,
                            max_bytes: 256usize,
                            fresh: __p::None,
                        },
                        __p::CellInfo {
                            name: __p::Cow::Borrowed("last"),
                            ty: __p::Type::Json,
                            max: 10000usize,
                            max_bytes: 65536usize,
                            fresh: __p::None,
                        },
                    ]),
                    on_error: __p::ByEffect {
                        read: __p::Decision::Allow,
                        write: __p::Decision::Block,
                        irreversible: __p::Decision::Block,
                    },
                    source: __p::Cow::Borrowed(
                        "{\"commit\":[{\"after\":\"ok(look)\",\"insert\":{\"seen\":\"args.id\"},\"set\":{\"last\":\"result\"}},{\"after\":\"event(reset)\",\"clear\":\"seen\"}],\"context\":{\"user\":\"string\"},\"instances\":{\"max\":100},\"name\":\"good\",\"rules\":[{\"id\":\"look-first\",\"instances\":{\"close_on\":\"call(act where args.final)\",\"max\":10},\"must_precede\":{\"first\":\"look\",\"then\":\"act\"},\"per\":\"args.id\"},{\"call\":\"act\",\"id\":\"seen-before\",\"require\":[\"args.id in state.seen\",\"args.id matches r\\\"^[a-z]+$\\\"\"]},{\"id\":\"not-too-often\",\"rate_limit\":{\"call\":\"act\",\"n\":3,\"window\":\"1m\"}},{\"at_most_total\":{\"call\":\"act\",\"limit\":10.5,\"sum\":\"args.amount\"},\"count\":\"succeeded\",\"id\":\"not-too-much\",\"per\":[\"args.id\",\"args.currency\"]},{\"id\":\"tidy\",\"required_before_session_end\":[\"ok(close)\",\"event(reset)\"]}],\"state\":{\"last\":{\"type\":\"json\"},\"seen\":{\"initial\":[],\"type\":\"set<string>\"}},\"tools\":{\"look\":{\"effect\":\"read\"},\"act\":{\"effect\":[{\"is\":\"read\",\"when\":\"args.mode == \\\"get\\\"\"},{\"is\":\"irreversible\"}],\"succeeds_when\":\"result.status == \\\"done\\\"\"}},\"version\":1}",
                    ),
                },
                state: __p::State::new(
                    __p::list_of([
                        __p::initial(
                            __p::literals([]),
                            &__p::Type::Set(__p::boxed(__p::Type::String)),
                            256usize,
                        ),
                        __p::None,
                    ]),
                ),
                position: 0,
                rule_look_first: __p::Keyed::new(
                    MACHINE_0,
                    __p::Bounds {
                        max: 10usize,
                        evicts: false,
                        idle: __p::None,
                        remember: 100000u32,
                    },
                ),
                rule_seen_before: __p::Stateless::new(),
                rule_not_too_often: __p::Single::new(BOUND_2),
                rule_not_too_much: __p::Keyed::new(
                    BOUND_3,
                    __p::Bounds {
                        max: 100usize,
                        evicts: false,
                        idle: __p::None,
                        remember: 100000u32,
                    },
                ),
                rule_tidy: __p::Single::new(MACHINE_4),
            }
        }
        fn before_act(
            &mut self,
            call: &__p::CallView<'_>,
            rewriting: &__p::Rewriting,
            posture: __p::Posture,
        ) -> __p::Ruling<Flight> {
            let (now, context) = (call.now, call.context);
            let position = self.position.saturating_add(1);
            let result: __p::Option<&__p::Value> = __p::None;
            let args_3_amount = __p::get(call.args, &["amount"]);
            let args_4_currency = __p::get(call.args, &["currency"]);
            let args_1_final = __p::get(call.args, &["final"]);
            let args_2_id = __p::get(call.args, &["id"]);
            let args_0_mode = __p::get(call.args, &["mode"]);
            let (effect, declared) = (
                __p::effect_of([
                    (
                        {
                            let fuel = __p::Fuel::new();
                            __p::eq(
                                &fuel,
                                args_0_mode.map(__p::Val::from_json),
                                __p::Some(__p::text("get")),
                            )
                        },
                        __p::Effect::Read,
                    ),
                    (__p::Truth::True, __p::Effect::Irreversible),
                ]),
                true,
            );
            let mut deliberation = __p::Deliberation::new(posture, effect);
            let mut permitted = false;
            let key_0 = __p::parts([__p::Part::json(args_2_id)]);
            let step = __p::Step::one(__p::Letters::certain(2u8));
            let look_0 = __p::Some(self.rule_look_first.judge(MACHINE_0, &key_0, &step));
            let step_0 = step;
            let room_0 = __p::Room::NotNeeded;
            __p::weigh_keyed(
                &mut deliberation,
                (0u16, &RULES[0usize]),
                &self.rule_look_first,
                MACHINE_0,
                &key_0,
                look_0.map(|look| (&step_0, look)),
                room_0,
            );
            let applies = __p::Truth::True;
            let mut required = __p::Requirement::new(applies);
            if applies != __p::Truth::False {
                required
                    .clause(
                        0u16,
                        {
                            let fuel = __p::Fuel::new();
                            __p::is_in(
                                &fuel,
                                args_2_id.map(__p::Val::from_json),
                                self.state.read(0usize),
                            )
                        },
                    );
                required
                    .clause(
                        1u16,
                        {
                            let fuel = __p::Fuel::new();
                            __p::search(
                                &fuel,
                                args_2_id.map(__p::Val::from_json),
                                &PATTERN_0,
                            )
                        },
                    );
                deliberation
                    .weigh(
                        1u16,
                        &RULES[1usize],
                        required.verdict(),
                        required.reason(),
                        __p::no_key,
                    );
            }
            let look_1 = required.verdict();
            let holds = __p::Holds([
                __p::Truth::True,
                __p::Truth::False,
                __p::Truth::False,
            ]);
            let step = <__p::Rate as __p::Register>::of(holds, now, __p::Operand::None);
            let look_2 = __p::Some(self.rule_not_too_often.look(BOUND_2, &step));
            let step_2 = step;
            if let __p::Some(verdict) = look_2 {
                __p::weigh_single(
                    &mut deliberation,
                    (2u16, &RULES[2usize]),
                    &self.rule_not_too_often,
                    BOUND_2,
                    &step_2,
                    verdict,
                );
            }
            let key_3 = __p::parts([
                __p::Part::json(args_2_id),
                __p::Part::json(args_4_currency),
            ]);
            let holds = __p::Holds([
                __p::Truth::True,
                __p::Truth::False,
                __p::Truth::False,
            ]);
            let step = <__p::Total as __p::Register>::of(
                holds,
                now,
                __p::Operand::Json(args_3_amount),
            );
            let look_3 = __p::Some(self.rule_not_too_much.judge(BOUND_3, &key_3, &step));
            let step_3 = step;
            let room_3 = __p::Room::NotNeeded;
            __p::weigh_keyed(
                &mut deliberation,
                (3u16, &RULES[3usize]),
                &self.rule_not_too_much,
                BOUND_3,
                &key_3,
                look_3.map(|look| (&step_3, look)),
                room_3,
            );
            if !deliberation.admitted() {
                return deliberation.conclude(__p::None);
            }
            self.position = position;
            let mut flight = Flight::new(effect);
            let mut findings = __p::Findings::new();
            if let __p::Some(look) = look_0 {
                let admission = deliberation.admission(&RULES[0usize], look.verdict);
                self.rule_look_first.admit(MACHINE_0, &key_0, &step_0, look, admission);
            }
            __p::close(
                0u16,
                &mut self.rule_look_first,
                MACHINE_0,
                &key_0,
                __p::truth(args_1_final.map(__p::Val::from_json)),
                &mut findings,
            );
            if look_1 >= __p::Verdict::Unestablished {
                self.rule_seen_before
                    .admit(look_1, deliberation.admission(&RULES[1usize], look_1));
            }
            if let __p::Some(look) = look_2 {
                let admission = deliberation.register_admission(&RULES[2usize], look);
                self.rule_not_too_often.admit(BOUND_2, &step_2, look, admission);
            }
            if let __p::Some(look) = look_3 {
                let admission = deliberation
                    .register_admission(&RULES[3usize], look.verdict);
                self.rule_not_too_much.admit(BOUND_3, &key_3, &step_3, look, admission);
                if admission.counts {
                    flight
                        .keep(__p::Note {
                            rule: 3u16,
                            receipt: <__p::Total as __p::Register>::receipt(&step_3),
                            epoch: self.rule_not_too_much.epoch(),
                            slots: 0,
                        });
                }
            }
            deliberation.admit(flight, findings)
        }
        fn after_act(
            &mut self,
            call: &__p::CallView<'_>,
            flight: Flight,
            outcome: __p::OutcomeView<'_>,
            posture: __p::Posture,
        ) -> __p::Settlement {
            let (now, context, effect) = (call.now, call.context, flight.effect());
            let status = __p::status(
                outcome.status,
                || {
                    let result = outcome.value;
                    let result_0_status = __p::get_in(result, &["status"]);
                    {
                        let fuel = __p::Fuel::new();
                        __p::eq(
                            &fuel,
                            result_0_status.map(__p::Val::from_json),
                            __p::Some(__p::text("done")),
                        )
                    }
                },
            );
            let withheld = false;
            let result = __p::proof(status, &outcome);
            let args_2_amount = __p::get(call.args, &["amount"]);
            let args_1_currency = __p::get(call.args, &["currency"]);
            let args_0_id = __p::get(call.args, &["id"]);
            let mut findings = __p::Findings::new();
            {
                let key = __p::parts([
                    __p::Part::json(args_0_id),
                    __p::Part::json(args_1_currency),
                ]);
                let note = flight.note(3u16);
                self.rule_not_too_much.release(note.slots);
                let failed = __p::failed(status);
                if note.receipt.counted != __p::Truth::False
                    && failed != __p::Truth::False && !withheld
                {
                    let step = <__p::Total as __p::Register>::again(
                        note.receipt,
                        __p::Operand::Json(args_2_amount),
                    );
                    self.rule_not_too_much
                        .give_back(BOUND_3, &key, &step, failed, note.epoch);
                }
            }
            __p::Settlement {
                status,
                findings,
                delivery: __p::Delivery::AsIs,
            }
        }
        fn before_close(
            &mut self,
            call: &__p::CallView<'_>,
            rewriting: &__p::Rewriting,
            posture: __p::Posture,
        ) -> __p::Ruling<Flight> {
            let (now, context) = (call.now, call.context);
            let position = self.position.saturating_add(1);
            let result: __p::Option<&__p::Value> = __p::None;
            let (effect, declared) = (__p::Effect::Irreversible, false);
            let mut deliberation = __p::Deliberation::new(posture, effect);
            let mut permitted = false;
            if !permitted {
                if !(false) {
                    deliberation
                        .fall_back(
                            &__p::DefaultPolicy {
                                by_effect: __p::ByEffect {
                                    read: __p::Decision::Allow,
                                    write: __p::Decision::Allow,
                                    irreversible: __p::Decision::Block,
                                },
                                strict: false,
                            },
                        );
                }
            }
            if !deliberation.admitted() {
                return deliberation.conclude(__p::None);
            }
            self.position = position;
            let mut flight = Flight::new(effect);
            let mut findings = __p::Findings::new();
            deliberation.admit(flight, findings)
        }
        fn after_close(
            &mut self,
            call: &__p::CallView<'_>,
            flight: Flight,
            outcome: __p::OutcomeView<'_>,
            posture: __p::Posture,
        ) -> __p::Settlement {
            let (now, context, effect) = (call.now, call.context, flight.effect());
            let status = __p::status(
                outcome.status,
                || {
                    let result = outcome.value;
                    __p::plain_success(outcome.value)
                },
            );
            let withheld = false;
            let result = __p::proof(status, &outcome);
            let mut findings = __p::Findings::new();
            {
                let step = __p::step_of(
                    status,
                    |reading| {
                        __p::Letters::NONE
                            .with(0u8, __p::Truth::of(reading.is(__p::Reading::OK)))
                    },
                );
                if !step.is_none() {
                    __p::observe_single(
                        4u16,
                        &mut self.rule_tidy,
                        MACHINE_4,
                        &step,
                        &mut findings,
                    );
                }
            }
            __p::Settlement {
                status,
                findings,
                delivery: __p::Delivery::AsIs,
            }
        }
        fn before_look(
            &mut self,
            call: &__p::CallView<'_>,
            rewriting: &__p::Rewriting,
            posture: __p::Posture,
        ) -> __p::Ruling<Flight> {
            let (now, context) = (call.now, call.context);
            let position = self.position.saturating_add(1);
            let result: __p::Option<&__p::Value> = __p::None;
            let args_0_id = __p::get(call.args, &["id"]);
            let (effect, declared) = (__p::Effect::Read, true);
            let mut deliberation = __p::Deliberation::new(posture, effect);
            let mut permitted = false;
            let key_0 = __p::parts([__p::Part::json(args_0_id)]);
            let room_0 = self.rule_look_first.room(&key_0);
            __p::weigh_keyed(
                &mut deliberation,
                (0u16, &RULES[0usize]),
                &self.rule_look_first,
                MACHINE_0,
                &key_0,
                __p::None,
                room_0,
            );
            if !permitted {
                if !(false) {
                    deliberation
                        .fall_back(
                            &__p::DefaultPolicy {
                                by_effect: __p::ByEffect {
                                    read: __p::Decision::Allow,
                                    write: __p::Decision::Allow,
                                    irreversible: __p::Decision::Block,
                                },
                                strict: false,
                            },
                        );
                }
            }
            if !deliberation.admitted() {
                return deliberation.conclude(__p::None);
            }
            self.position = position;
            let mut flight = Flight::new(effect);
            let mut findings = __p::Findings::new();
            flight.hold(0u16, self.rule_look_first.reserve(&key_0, room_0));
            deliberation.admit(flight, findings)
        }
        fn after_look(
            &mut self,
            call: &__p::CallView<'_>,
            flight: Flight,
            outcome: __p::OutcomeView<'_>,
            posture: __p::Posture,
        ) -> __p::Settlement {
            let (now, context, effect) = (call.now, call.context, flight.effect());
            let status = __p::status(
                outcome.status,
                || {
                    let result = outcome.value;
                    __p::plain_success(outcome.value)
                },
            );
            let withheld = false;
            let result = __p::proof(status, &outcome);
            let args_0_id = __p::get(call.args, &["id"]);
            let result_1 = __p::get_in(result, &[]);
            let mut findings = __p::Findings::new();
            {
                let key = __p::parts([__p::Part::json(args_0_id)]);
                let note = flight.note(0u16);
                self.rule_look_first.release(note.slots);
                let step = __p::step_of(
                    status,
                    |reading| {
                        __p::Letters::NONE
                            .with(0u8, __p::Truth::of(reading.is(__p::Reading::OK)))
                    },
                );
                if !step.is_none() {
                    __p::observe_keyed(
                        0u16,
                        &mut self.rule_look_first,
                        MACHINE_0,
                        &key,
                        &step,
                        &mut findings,
                    );
                }
            }
            let mut writes = __p::Writes::new();
            let matches = __p::occurs(
                status,
                |reading| __p::Truth::of(reading.is(__p::Reading::OK)),
            );
            if matches != __p::Truth::False {
                writes
                    .insert(
                        &self.info.cells,
                        0usize,
                        matches,
                        args_0_id.map(__p::Val::from_json),
                    );
                writes
                    .set(
                        &self.info.cells,
                        1usize,
                        matches,
                        result_1.map(__p::Val::from_json),
                    );
            }
            self.state.apply(&self.info.cells, writes, now, &mut findings);
            __p::Settlement {
                status,
                findings,
                delivery: __p::Delivery::AsIs,
            }
        }
        fn before_other_tools(
            &mut self,
            call: &__p::CallView<'_>,
            rewriting: &__p::Rewriting,
            posture: __p::Posture,
        ) -> __p::Ruling<Flight> {
            let (now, context) = (call.now, call.context);
            let position = self.position.saturating_add(1);
            let result: __p::Option<&__p::Value> = __p::None;
            let (effect, declared) = (__p::Effect::Irreversible, false);
            let mut deliberation = __p::Deliberation::new(posture, effect);
            let mut permitted = false;
            if !permitted {
                if !(false) {
                    deliberation
                        .fall_back(
                            &__p::DefaultPolicy {
                                by_effect: __p::ByEffect {
                                    read: __p::Decision::Allow,
                                    write: __p::Decision::Allow,
                                    irreversible: __p::Decision::Block,
                                },
                                strict: false,
                            },
                        );
                }
            }
            if !deliberation.admitted() {
                return deliberation.conclude(__p::None);
            }
            self.position = position;
            let mut flight = Flight::new(effect);
            let mut findings = __p::Findings::new();
            deliberation.admit(flight, findings)
        }
    }
    impl ::core::default::Default for Good {
        fn default() -> Self {
            Self::new()
        }
    }
    impl __p::Monitor for Good {
        type Flight = Flight;
        fn info(&self) -> &__p::ContractInfo {
            &self.info
        }
        fn effect(&self, call: &__p::CallView<'_>) -> __p::Effect {
            let (now, context) = (call.now, call.context);
            let result: __p::Option<&__p::Value> = __p::None;
            let (effect, _) = match call.tool {
                "act" => {
                    let args_0_mode = __p::get(call.args, &["mode"]);
                    (
                        __p::effect_of([
                            (
                                {
                                    let fuel = __p::Fuel::new();
                                    __p::eq(
                                        &fuel,
                                        args_0_mode.map(__p::Val::from_json),
                                        __p::Some(__p::text("get")),
                                    )
                                },
                                __p::Effect::Read,
                            ),
                            (__p::Truth::True, __p::Effect::Irreversible),
                        ]),
                        true,
                    )
                }
                "look" => (__p::Effect::Read, true),
                _ => (__p::Effect::Irreversible, false),
            };
            effect
        }
        #[inline]
        fn rewrite(
            &self,
            call: &__p::CallView<'_>,
            posture: __p::Posture,
        ) -> __p::Rewriting {
            __p::unchanged()
        }
        #[inline]
        fn before(
            &mut self,
            call: &__p::CallView<'_>,
            rewriting: &__p::Rewriting,
            posture: __p::Posture,
        ) -> __p::Ruling<Flight> {
            match call.tool {
                "act" => self.before_act(call, rewriting, posture),
                "close" => self.before_close(call, rewriting, posture),
                "look" => self.before_look(call, rewriting, posture),
                _ => self.before_other_tools(call, rewriting, posture),
            }
        }
        #[inline]
        fn after(
            &mut self,
            call: &__p::CallView<'_>,
            flight: Flight,
            outcome: __p::OutcomeView<'_>,
            posture: __p::Posture,
        ) -> __p::Settlement {
            match call.tool {
                "act" => self.after_act(call, flight, outcome, posture),
                "close" => self.after_close(call, flight, outcome, posture),
                "look" => self.after_look(call, flight, outcome, posture),
                _ => __p::settle_plainly(&outcome),
            }
        }
        fn shields(&self, call: &__p::CallView<'_>) -> bool {
            false
        }
        fn event(&mut self, event: &__p::EventView<'_>) -> __p::Report {
            let (now, context) = (event.now, event.context);
            let mut findings = __p::Findings::new();
            {
                let step = __p::Step::one(
                    __p::Letters::NONE.with(1u8, __p::Truth::of(event.name == "reset")),
                );
                if !step.is_none() {
                    __p::observe_single(
                        4u16,
                        &mut self.rule_tidy,
                        MACHINE_4,
                        &step,
                        &mut findings,
                    );
                }
            }
            let mut writes = __p::Writes::new();
            let matches = __p::Truth::of(event.name == "reset");
            if matches != __p::Truth::False {
                writes.clear(0usize, matches);
            }
            self.state.apply(&self.info.cells, writes, now, &mut findings);
            __p::Report { findings }
        }
        fn advance(&mut self, now: __p::Time) -> __p::Report {
            let mut findings = __p::Findings::new();
            __p::Report { findings }
        }
        fn end(&mut self) -> __p::Findings {
            let mut findings = __p::Findings::new();
            __p::end_keyed(0u16, &mut self.rule_look_first, MACHINE_0, &mut findings);
            __p::end_single(2u16, &mut self.rule_not_too_often, BOUND_2, &mut findings);
            __p::end_keyed(3u16, &mut self.rule_not_too_much, BOUND_3, &mut findings);
            __p::end_single(4u16, &mut self.rule_tidy, MACHINE_4, &mut findings);
            findings
        }
        fn verdict(&self, rule: usize) -> __p::Verdict {
            match rule {
                0usize => self.rule_look_first.verdict(MACHINE_0),
                1usize => self.rule_seen_before.verdict(),
                2usize => self.rule_not_too_often.verdict(BOUND_2),
                3usize => self.rule_not_too_much.verdict(BOUND_3),
                4usize => self.rule_tidy.verdict(MACHINE_4),
                _ => __p::Verdict::Unestablished,
            }
        }
        fn save(&self) -> __p::Value {
            let mut saving = __p::Saving::new(self.position, &self.state);
            saving.rule("look-first", self.rule_look_first.save());
            saving.rule("seen-before", self.rule_seen_before.save());
            saving.rule("not-too-often", self.rule_not_too_often.save());
            saving.rule("not-too-much", self.rule_not_too_much.save());
            saving.rule("tidy", self.rule_tidy.save());
            saving.finish()
        }
        fn restore(
            &mut self,
            saved: &__p::Value,
            version: __p::Version,
        ) -> __p::Result<__p::Findings, __p::RestoreError> {
            let mut restoring = __p::Restoring::new(saved, version)?;
            self.position = restoring.position();
            self.state = restoring
                .state(
                    &self.info.cells,
                    __p::State::new(
                        __p::list_of([
                            __p::initial(
                                __p::literals([]),
                                &__p::Type::Set(__p::boxed(__p::Type::String)),
                                256usize,
                            ),
                            __p::None,
                        ]),
                    ),
                )?;
            restoring
                .rule(
                    0u16,
                    "look-first",
                    |saved, version| __p::restore_keyed(
                        &mut self.rule_look_first,
                        MACHINE_0,
                        __p::Bounds {
                            max: 10usize,
                            evicts: false,
                            idle: __p::None,
                            remember: 100000u32,
                        },
                        saved,
                        version,
                    ),
                )?;
            restoring
                .rule(
                    1u16,
                    "seen-before",
                    |saved, version| __p::restore_stateless(
                        &mut self.rule_seen_before,
                        saved,
                        version,
                    ),
                )?;
            restoring
                .rule(
                    2u16,
                    "not-too-often",
                    |saved, version| __p::restore_single(
                        &mut self.rule_not_too_often,
                        BOUND_2,
                        saved,
                        version,
                    ),
                )?;
            restoring
                .rule(
                    3u16,
                    "not-too-much",
                    |saved, version| __p::restore_keyed(
                        &mut self.rule_not_too_much,
                        BOUND_3,
                        __p::Bounds {
                            max: 100usize,
                            evicts: false,
                            idle: __p::None,
                            remember: 100000u32,
                        },
                        saved,
                        version,
                    ),
                )?;
            restoring
                .rule(
                    4u16,
                    "tidy",
                    |saved, version| __p::restore_single(
                        &mut self.rule_tidy,
                        MACHINE_4,
                        saved,
                        version,
                    ),
                )?;
            __p::Ok(restoring.finish())
        }
        fn retired(&self, rule: usize) -> __p::Retired {
            match rule {
                0usize => self.rule_look_first.retired(),
                _ => ::core::default::Default::default(),
            }
        }
        fn watch_departures(&mut self) {
            self.rule_look_first.watch_departures();
        }
        fn departures(&mut self) -> __p::Vec<__p::Departed> {
            let mut all = __p::Vec::new();
            self.rule_look_first.departures(0u16, &mut all);
            all
        }
    }
};
