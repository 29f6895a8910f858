/// The monitor of the contract `payments`, for one session.
///
/// * `verify-first`: `send_payment` is allowed only after `verify_payee` has succeeded, for each `args.payee`
/// * `once-per-invoice`: `send_payment` happens at most once, for each `args.invoice`
#[derive(::core::fmt::Debug)]
pub struct Payments {
    info: ::interlock::__private::ContractInfo,
    #[allow(dead_code)]
    state: ::interlock::__private::State,
    /// `verify-first`: `send_payment` is allowed only after `verify_payee` has succeeded, for each `args.payee`
    rule_verify_first: ::interlock::__private::Keyed<::interlock::__private::Belief>,
    /// `once-per-invoice`: `send_payment` happens at most once, for each `args.invoice`
    rule_once_per_invoice: ::interlock::__private::Keyed<::interlock::__private::Count>,
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
    static RULES: [__p::RuleInfo; 2usize] = [
        __p::RuleInfo {
            id: __p::Cow::Borrowed("verify-first"),
            title: __p::None,
            severity: __p::Severity::Medium,
            message: __p::None,
            says: __p::Cow::Borrowed(
                "`send_payment` is allowed only after `verify_payee` has succeeded, for each `args.payee`",
            ),
            advice: __p::Cow::Borrowed(
                "first make a call that matches `verify_payee` and succeeds, with the same key",
            ),
            clauses: __p::Cow::Borrowed(&[]),
            tags: __p::Cow::Borrowed(&[]),
            mode: __p::Mode::Enforce,
            table: __p::DecisionTable::STANDARD,
        },
        __p::RuleInfo {
            id: __p::Cow::Borrowed("once-per-invoice"),
            title: __p::None,
            severity: __p::Severity::Medium,
            message: __p::None,
            says: __p::Cow::Borrowed(
                "`send_payment` happens at most once, for each `args.invoice`",
            ),
            advice: __p::Cow::Borrowed(
                "nothing in this session for this key, unless one that counts fails",
            ),
            clauses: __p::Cow::Borrowed(&[]),
            tags: __p::Cow::Borrowed(&[]),
            mode: __p::Mode::Enforce,
            table: __p::DecisionTable::STANDARD,
        },
    ];
    static MACHINE_0: __p::Machine<'static> = __p::Machine {
        width: 2u8,
        initial: 0u8,
        colours: &[__p::Colour::Open, __p::Colour::Satisfied, __p::Colour::Violated],
        delta: &[0, 1, 2, 0, 1, 1, 1, 1, 2, 2, 2, 2],
    };
    type Flight = __p::Flight<1usize>;
    impl Payments {
        /// A fresh monitor, for one session.
        #[must_use]
        pub fn new() -> Self {
            Self {
                info: __p::ContractInfo {
                    name: __p::Cow::Borrowed("payments"),
                    mode: __p::Mode::Enforce,
                    rules: __p::Cow::Borrowed(&RULES),
                    context: __p::list_of([]),
                    cells: __p::list_of([]),
                },
                state: __p::State::new(__p::list_of([])),
                rule_verify_first: __p::Keyed::new(MACHINE_0, 10000usize),
                rule_once_per_invoice: __p::Keyed::new(1u64, 10000usize),
            }
        }
        fn before_send_payment(
            &mut self,
            call: &__p::CallView<'_>,
            posture: __p::Posture,
        ) -> __p::Ruling<Flight> {
            let (now, context) = (call.now, call.context);
            let result: __p::Option<&__p::Value> = __p::None;
            let args_1_invoice = __p::get(call.args, &["invoice"]);
            let args_0_payee = __p::get(call.args, &["payee"]);
            let (effect, declared) = (__p::Effect::Irreversible, true);
            let mut deliberation = __p::Deliberation::new(posture, effect);
            let mut permitted = false;
            let key_0 = __p::parts([__p::Part::json(args_0_payee)]);
            let step = __p::Step::one(__p::Letters::certain(2u8));
            let look_0 = __p::Some(
                self.rule_verify_first.judge(MACHINE_0, &key_0, &step),
            );
            let step_0 = step;
            let room_0 = __p::Room::NotNeeded;
            if let __p::Some((verdict, reason)) = __p::opinion(look_0, room_0) {
                deliberation.weigh(0u16, &RULES[0usize], verdict, reason, &key_0);
            }
            let key_1 = __p::parts([__p::Part::json(args_1_invoice)]);
            let step = __p::Truth::True;
            let look_1 = __p::Some(
                self.rule_once_per_invoice.judge(1u64, &key_1, &step),
            );
            let step_1 = step;
            let room_1 = __p::Room::NotNeeded;
            if let __p::Some((verdict, reason)) = __p::opinion(look_1, room_1) {
                deliberation.weigh(1u16, &RULES[1usize], verdict, reason, &key_1);
            }
            if !deliberation.admitted() {
                return deliberation.conclude(__p::None);
            }
            let mut flight = Flight::new(effect);
            let mut left_open = __p::Findings::new();
            if let __p::Some(look) = look_0 {
                let verdict = look.verdict;
                let admission = deliberation.admission(&RULES[0usize], verdict);
                self.rule_verify_first
                    .admit(MACHINE_0, &key_0, &step_0, look, admission);
            }
            if let __p::Some(look) = look_1 {
                let verdict = look.verdict;
                let admission = deliberation.register_admission(&RULES[1usize], verdict);
                self.rule_once_per_invoice.admit(1u64, &key_1, &step_1, look, admission);
                if admission.counts {
                    flight
                        .keep(
                            0usize,
                            __p::Note {
                                counted: step_1,
                                incarnation: self.rule_once_per_invoice.incarnation(&key_1),
                                at: now,
                                amount: __p::None,
                                slot: false,
                            },
                        );
                }
            }
            deliberation.admit(flight, left_open)
        }
        fn after_send_payment(
            &mut self,
            call: &__p::CallView<'_>,
            flight: Flight,
            outcome: __p::OutcomeView<'_>,
        ) -> (__p::Status, __p::Report) {
            let (now, context, effect) = (call.now, call.context, flight.effect);
            let status = __p::status(
                outcome.status,
                || {
                    let result = outcome.value;
                    __p::plain_success(outcome.value)
                },
            );
            let result = __p::proof(status, &outcome);
            let args_0_invoice = __p::get(call.args, &["invoice"]);
            let mut findings = __p::Findings::new();
            {
                let key = __p::parts([__p::Part::json(args_0_invoice)]);
                let note = flight.note(0usize);
                self.rule_once_per_invoice.release(note.slot);
                let failed = __p::failed(status);
                if note.counted != __p::Truth::False && failed != __p::Truth::False {
                    let step = note.counted;
                    self.rule_once_per_invoice
                        .give_back(&key, &step, failed, note.incarnation);
                }
            }
            (status, __p::Report { findings })
        }
        fn before_verify_payee(
            &mut self,
            call: &__p::CallView<'_>,
            posture: __p::Posture,
        ) -> __p::Ruling<Flight> {
            let (now, context) = (call.now, call.context);
            let result: __p::Option<&__p::Value> = __p::None;
            let args_0_payee = __p::get(call.args, &["payee"]);
            let (effect, declared) = (__p::Effect::Read, true);
            let mut deliberation = __p::Deliberation::new(posture, effect);
            let mut permitted = false;
            let key_0 = __p::parts([__p::Part::json(args_0_payee)]);
            let look_0: __p::Option<__p::Judged> = __p::None;
            let room_0 = self.rule_verify_first.room(&key_0);
            if let __p::Some((verdict, reason)) = __p::opinion(look_0, room_0) {
                deliberation.weigh(0u16, &RULES[0usize], verdict, reason, &key_0);
            }
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
            let mut flight = Flight::new(effect);
            let mut left_open = __p::Findings::new();
            if self.rule_verify_first.reserve(&key_0, room_0) {
                flight.hold(0usize);
            }
            deliberation.admit(flight, left_open)
        }
        fn after_verify_payee(
            &mut self,
            call: &__p::CallView<'_>,
            flight: Flight,
            outcome: __p::OutcomeView<'_>,
        ) -> (__p::Status, __p::Report) {
            let (now, context, effect) = (call.now, call.context, flight.effect);
            let status = __p::status(
                outcome.status,
                || {
                    let result = outcome.value;
                    __p::plain_success(outcome.value)
                },
            );
            let result = __p::proof(status, &outcome);
            let args_0_payee = __p::get(call.args, &["payee"]);
            let mut findings = __p::Findings::new();
            {
                let key = __p::parts([__p::Part::json(args_0_payee)]);
                let note = flight.note(0usize);
                self.rule_verify_first.release(note.slot);
                let step = __p::step_of(
                    status,
                    |reading| {
                        __p::Letters::NONE
                            .with(0u8, __p::Truth::of(reading.is(__p::Reading::OK)))
                    },
                );
                if !step.is_none() {
                    let (verdict, reason) = __p::observed(
                        self.rule_verify_first.observe(MACHINE_0, &key, &step),
                    );
                    if verdict >= __p::Verdict::Unestablished {
                        findings.push(__p::detected(0u16, verdict, reason, &key));
                    }
                }
            }
            (status, __p::Report { findings })
        }
        fn before_other_tools(
            &mut self,
            call: &__p::CallView<'_>,
            posture: __p::Posture,
        ) -> __p::Ruling<Flight> {
            let (now, context) = (call.now, call.context);
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
            let mut flight = Flight::new(effect);
            let mut left_open = __p::Findings::new();
            deliberation.admit(flight, left_open)
        }
    }
    impl ::core::default::Default for Payments {
        fn default() -> Self {
            Self::new()
        }
    }
    impl __p::Monitor for Payments {
        type Flight = Flight;
        fn info(&self) -> &__p::ContractInfo {
            &self.info
        }
        #[inline]
        fn before(
            &mut self,
            call: &__p::CallView<'_>,
            posture: __p::Posture,
        ) -> __p::Ruling<Flight> {
            match call.tool {
                "send_payment" => self.before_send_payment(call, posture),
                "verify_payee" => self.before_verify_payee(call, posture),
                _ => self.before_other_tools(call, posture),
            }
        }
        #[inline]
        fn after(
            &mut self,
            call: &__p::CallView<'_>,
            flight: Flight,
            outcome: __p::OutcomeView<'_>,
        ) -> (__p::Status, __p::Report) {
            match call.tool {
                "send_payment" => self.after_send_payment(call, flight, outcome),
                "verify_payee" => self.after_verify_payee(call, flight, outcome),
                _ => {
                    (
                        __p::status(
                            outcome.status,
                            || __p::plain_success(outcome.value),
                        ),
                        __p::Report {
                            findings: __p::Findings::new(),
                        },
                    )
                }
            }
        }
        fn event(&mut self, event: &__p::EventView<'_>) -> __p::Report {
            let (now, context) = (event.now, event.context);
            let mut findings = __p::Findings::new();
            __p::Report { findings }
        }
        fn end(&mut self) -> __p::Findings {
            let mut findings = __p::Findings::new();
            __p::end_keyed(0u16, &mut self.rule_verify_first, MACHINE_0, &mut findings);
            findings
        }
        fn verdict(&self, rule: usize) -> __p::Verdict {
            match rule {
                0usize => self.rule_verify_first.verdict(MACHINE_0),
                1usize => self.rule_once_per_invoice.verdict(1u64),
                _ => __p::Verdict::Unestablished,
            }
        }
    }
};
