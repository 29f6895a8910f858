/// The monitor of the contract `payments`, for one session.
///
/// * `verify-first`: `send_payment` is allowed only after `verify_payee` has succeeded, for each `args.payee`
/// * `once-per-invoice`: `send_payment` happens at most once, for each `args.invoice`
#[derive(::core::fmt::Debug)]
pub struct Payments {
    info: ::interlock::__private::ContractInfo,
    #[allow(dead_code)]
    state: ::interlock::__private::State,
    /// How many calls were admitted.
    position: ::core::primitive::u64,
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
            vocabulary: __p::Vocabulary {
                patterns: __p::Cow::Borrowed(
                    &[
                        __p::Cow::Borrowed("ok(verify_payee)"),
                        __p::Cow::Borrowed("call(send_payment)"),
                    ],
                ),
                fresh: __p::None,
                elusive: false,
                keyed: true,
                joint: __p::Cow::Borrowed(&[]),
            },
            clauses: __p::Cow::Borrowed(&[]),
            tags: __p::Cow::Borrowed(&[]),
            mode: __p::Mode::Enforce,
            table: __p::DecisionTable::STANDARD,
            when_full: __p::WhenFull::Block,
            frees: false,
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
            vocabulary: __p::Vocabulary::NONE,
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
    const BOUND_1: <__p::Count as __p::Cell>::Rule<'static> = 1u64;
    type Flight = __p::Notes<1usize>;
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
                    on_error: __p::ByEffect {
                        read: __p::Decision::Allow,
                        write: __p::Decision::Block,
                        irreversible: __p::Decision::Block,
                    },
                    source: __p::Cow::Borrowed(
                        "{\"instances\":{\"max\":10000},\"name\":\"payments\",\"rules\":[{\"id\":\"verify-first\",\"must_precede\":{\"first\":\"verify_payee\",\"then\":\"send_payment\"},\"per\":\"args.payee\"},{\"at_most_n_times\":{\"call\":\"send_payment\",\"n\":1},\"count\":\"succeeded\",\"id\":\"once-per-invoice\",\"per\":\"args.invoice\"}],\"tools\":{\"verify_payee\":{\"effect\":\"read\"},\"send_payment\":{\"effect\":\"irreversible\"}},\"version\":1}",
                    ),
                },
                state: __p::State::new(__p::list_of([])),
                position: 0,
                rule_verify_first: __p::Keyed::new(
                    MACHINE_0,
                    __p::Bounds {
                        max: 10000usize,
                        evicts: false,
                        idle: __p::None,
                        remember: 100000u32,
                    },
                ),
                rule_once_per_invoice: __p::Keyed::new(
                    BOUND_1,
                    __p::Bounds {
                        max: 10000usize,
                        evicts: false,
                        idle: __p::None,
                        remember: 100000u32,
                    },
                ),
            }
        }
        fn before_send_payment(
            &mut self,
            call: &__p::CallView<'_>,
            rewriting: &__p::Rewriting,
            posture: __p::Posture,
        ) -> __p::Ruling<Flight> {
            let (now, context) = (call.now, call.context);
            let position = self.position.saturating_add(1);
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
            __p::weigh_keyed(
                &mut deliberation,
                (0u16, &RULES[0usize]),
                &self.rule_verify_first,
                MACHINE_0,
                &key_0,
                look_0.map(|look| (&step_0, look)),
                room_0,
            );
            let key_1 = __p::parts([__p::Part::json(args_1_invoice)]);
            let holds = __p::Holds([
                __p::Truth::True,
                __p::Truth::False,
                __p::Truth::False,
            ]);
            let step = <__p::Count as __p::Register>::of(holds, now, __p::Operand::None);
            let look_1 = __p::Some(
                self.rule_once_per_invoice.judge(BOUND_1, &key_1, &step),
            );
            let step_1 = step;
            let room_1 = __p::Room::NotNeeded;
            __p::weigh_keyed(
                &mut deliberation,
                (1u16, &RULES[1usize]),
                &self.rule_once_per_invoice,
                BOUND_1,
                &key_1,
                look_1.map(|look| (&step_1, look)),
                room_1,
            );
            if !deliberation.admitted() {
                return deliberation.conclude(__p::None);
            }
            self.position = position;
            let mut flight = Flight::new(effect);
            let mut findings = __p::Findings::new();
            if let __p::Some(look) = look_0 {
                let admission = deliberation.admission(&RULES[0usize], look.verdict);
                self.rule_verify_first
                    .admit(MACHINE_0, &key_0, &step_0, look, admission);
            }
            if let __p::Some(look) = look_1 {
                let admission = deliberation
                    .register_admission(&RULES[1usize], look.verdict);
                self.rule_once_per_invoice
                    .admit(BOUND_1, &key_1, &step_1, look, admission);
                if admission.counts {
                    flight
                        .keep(__p::Note {
                            rule: 1u16,
                            receipt: <__p::Count as __p::Register>::receipt(&step_1),
                            epoch: self.rule_once_per_invoice.epoch(),
                            slots: 0,
                        });
                }
            }
            deliberation.admit(flight, findings)
        }
        fn after_send_payment(
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
            let args_0_invoice = __p::get(call.args, &["invoice"]);
            let mut findings = __p::Findings::new();
            {
                let key = __p::parts([__p::Part::json(args_0_invoice)]);
                let note = flight.note(1u16);
                self.rule_once_per_invoice.release(note.slots);
                let failed = __p::failed(status);
                if note.receipt.counted != __p::Truth::False
                    && failed != __p::Truth::False && !withheld
                {
                    let step = <__p::Count as __p::Register>::again(
                        note.receipt,
                        __p::Operand::None,
                    );
                    self.rule_once_per_invoice
                        .give_back(BOUND_1, &key, &step, failed, note.epoch);
                }
            }
            __p::Settlement {
                status,
                findings,
                delivery: __p::Delivery::AsIs,
            }
        }
        fn before_verify_payee(
            &mut self,
            call: &__p::CallView<'_>,
            rewriting: &__p::Rewriting,
            posture: __p::Posture,
        ) -> __p::Ruling<Flight> {
            let (now, context) = (call.now, call.context);
            let position = self.position.saturating_add(1);
            let result: __p::Option<&__p::Value> = __p::None;
            let args_0_payee = __p::get(call.args, &["payee"]);
            let (effect, declared) = (__p::Effect::Read, true);
            let mut deliberation = __p::Deliberation::new(posture, effect);
            let mut permitted = false;
            let key_0 = __p::parts([__p::Part::json(args_0_payee)]);
            let room_0 = self.rule_verify_first.room(&key_0);
            __p::weigh_keyed(
                &mut deliberation,
                (0u16, &RULES[0usize]),
                &self.rule_verify_first,
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
            flight.hold(0u16, self.rule_verify_first.reserve(&key_0, room_0));
            deliberation.admit(flight, findings)
        }
        fn after_verify_payee(
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
            let args_0_payee = __p::get(call.args, &["payee"]);
            let mut findings = __p::Findings::new();
            {
                let key = __p::parts([__p::Part::json(args_0_payee)]);
                let note = flight.note(0u16);
                self.rule_verify_first.release(note.slots);
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
                        &mut self.rule_verify_first,
                        MACHINE_0,
                        &key,
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
        fn effect(&self, call: &__p::CallView<'_>) -> __p::Effect {
            let (now, context) = (call.now, call.context);
            let result: __p::Option<&__p::Value> = __p::None;
            let (effect, _) = match call.tool {
                "send_payment" => (__p::Effect::Irreversible, true),
                "verify_payee" => (__p::Effect::Read, true),
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
                "send_payment" => self.before_send_payment(call, rewriting, posture),
                "verify_payee" => self.before_verify_payee(call, rewriting, posture),
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
                "send_payment" => self.after_send_payment(call, flight, outcome, posture),
                "verify_payee" => self.after_verify_payee(call, flight, outcome, posture),
                _ => __p::settle_plainly(&outcome),
            }
        }
        fn shields(&self, call: &__p::CallView<'_>) -> bool {
            false
        }
        fn event(&mut self, event: &__p::EventView<'_>) -> __p::Report {
            let (now, context) = (event.now, event.context);
            let mut findings = __p::Findings::new();
            __p::Report { findings }
        }
        fn advance(&mut self, now: __p::Time) -> __p::Report {
            let mut findings = __p::Findings::new();
            __p::Report { findings }
        }
        fn end(&mut self) -> __p::Findings {
            let mut findings = __p::Findings::new();
            __p::end_keyed(0u16, &mut self.rule_verify_first, MACHINE_0, &mut findings);
            __p::end_keyed(
                1u16,
                &mut self.rule_once_per_invoice,
                BOUND_1,
                &mut findings,
            );
            findings
        }
        fn verdict(&self, rule: usize) -> __p::Verdict {
            match rule {
                0usize => self.rule_verify_first.verdict(MACHINE_0),
                1usize => self.rule_once_per_invoice.verdict(BOUND_1),
                _ => __p::Verdict::Unestablished,
            }
        }
        fn save(&self) -> __p::Value {
            let mut saving = __p::Saving::new(self.position, &self.state);
            saving.rule("verify-first", self.rule_verify_first.save());
            saving.rule("once-per-invoice", self.rule_once_per_invoice.save());
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
                .state(&self.info.cells, __p::State::new(__p::list_of([])))?;
            restoring
                .rule(
                    0u16,
                    "verify-first",
                    |saved, version| __p::restore_keyed(
                        &mut self.rule_verify_first,
                        MACHINE_0,
                        __p::Bounds {
                            max: 10000usize,
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
                    "once-per-invoice",
                    |saved, version| __p::restore_keyed(
                        &mut self.rule_once_per_invoice,
                        BOUND_1,
                        __p::Bounds {
                            max: 10000usize,
                            evicts: false,
                            idle: __p::None,
                            remember: 100000u32,
                        },
                        saved,
                        version,
                    ),
                )?;
            __p::Ok(restoring.finish())
        }
    }
};
