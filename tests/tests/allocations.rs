//! What deciding allocates: nothing about an existing instance, only its own bytes for a new one, and nothing more once the
//! table is full, whether or not instances make room for others. A session keeps the call besides.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use contract_runtime::{Call, Decision, Monitor, Outcome, Session, Time};
use interlock::contracts;
use interlock_tests::bare::Bare;
use serde_json::{Value, json};

contracts!("contracts/allocations.yaml");
contracts!("benches/contracts/small_flood.yaml");

thread_local! {
    static COUNTED: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    static FREED: Cell<usize> = const { Cell::new(0) };
}

/// Counts the allocations and bytes of this thread, and the bytes that it gives back.
struct Counting;

#[expect(unsafe_code, reason = "an allocator is unsafe by its signature; this one only counts")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNTED.with(|counted| {
            let (count, bytes) = counted.get();
            counted.set((count + 1, bytes + layout.size()));
        });
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        FREED.with(|freed| freed.set(freed.get() + layout.size()));
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn counted(run: impl FnOnce()) -> (usize, usize) {
    let before = COUNTED.get();
    run();
    let after = COUNTED.get();
    (after.0 - before.0, after.1 - before.1)
}

fn call<M: Monitor>(monitor: &mut Bare<M>, tool: &str, args: &Value, result: &Value) -> Decision {
    monitor.call(tool, args, result).0
}

#[test]
fn an_existing_instance_costs_no_allocation() {
    let (mut monitor, ok) = (Bare::new(Allocations::new()), json!({"status": "ok"}));
    let args = json!({"payee": "acme", "currency": "EUR", "amount": 12.5, "memo": "x"});
    call(&mut monitor, "verify_payee", &args, &ok);
    call(&mut monitor, "send_payment", &args, &ok);
    for tool in ["verify_payee", "send_payment"] {
        let (count, bytes) = counted(|| {
            for _ in 0..100 {
                assert_eq!(call(&mut monitor, tool, &args, &ok), Decision::Allow);
            }
        });
        assert_eq!((count, bytes), (0, 0), "{tool}");
    }
}

#[test]
fn a_new_key_costs_its_own_bytes() {
    let (mut monitor, ok) = (Bare::new(Allocations::new()), json!({"status": "ok"}));
    // Let the table grow first, so that what is left is the key itself.
    for key in 0..1_000 {
        call(&mut monitor, "verify_payee", &json!({"payee": format!("payee-{key}")}), &ok);
    }
    let args = json!({"payee": "another-payee"});
    let (count, bytes) = counted(|| {
        call(&mut monitor, "verify_payee", &args, &ok);
    });
    assert_eq!((count, bytes), (1, "another-payee".len()));
}

#[test]
fn a_session_shares_arguments_that_it_may_keep() {
    let session = Session::builder(Allocations::new()).start().unwrap();
    let ok = json!({"status": "ok"});
    let run = |memos: usize| {
        let call = Call::owned("verify_payee", json!({"payee": "acme", "memo": vec!["x"; memos]})).at(Time::EPOCH);
        let complete = || {
            let permit = session.before(&call).unwrap();
            session.after(permit, Outcome::ok(&ok).at(Time::EPOCH)).unwrap();
        };
        counted(complete).0
    };
    run(1);
    assert_eq!(run(1), 2, "the name of the tool and the call");
    assert_eq!(run(100), 2);
}

#[test]
fn a_full_table_stays_as_it_is() {
    let (mut monitor, ok) = (Bare::new(Allocations::new()), json!({"status": "ok"}));
    let mut allowed = 0;
    for key in 0..5_000 {
        let args = json!({"payee": format!("payee-{key}")});
        allowed += usize::from(call(&mut monitor, "verify_payee", &args, &ok) == Decision::Allow);
    }
    assert_eq!(allowed, 2_000, "`max` of the rule");
    let args: Vec<Value> = (0..1_000_000).map(|key| json!({"payee": key})).collect();
    let mut live = 0;
    for args in &args {
        // A finding is made for each; it is gone when the ruling is.
        let before = COUNTED.get().1;
        assert_eq!(call(&mut monitor, "verify_payee", args, &ok), Decision::Block);
        live = live.max(COUNTED.get().1 - before);
    }
    assert!(live < 2_048, "one refusal may cost a finding, never a growing table: {live} bytes");
}

/// Ten times as many keys as the rule tells from those never seen, each paid for once.
#[test]
fn a_table_whose_instances_make_room_stays_as_large_as_it_is() {
    let live = || COUNTED.get().1 - FREED.get();
    let before = live();
    let (mut monitor, ok) = (Bare::new(SmallFlood::new()), json!({"status": "ok"}));
    let remembered = 5_000;
    let (mut from, mut bytes) = (0, Vec::with_capacity(4));
    for to in [remembered / 2, remembered, 2 * remembered, 10 * remembered] {
        let mut mistaken = 0;
        for key in from..to {
            let args = json!({"invoice": format!("invoice-{key:06}")});
            mistaken += usize::from(call(&mut monitor, "pay", &args, &ok) == Decision::Alert);
        }
        bytes.push(live() - before);
        println!("of the fresh keys from {from} to {to}, {mistaken} are taken for others; {bytes:?} bytes");
        if to <= remembered {
            assert!(mistaken * 100 <= 2 * (to - from), "{mistaken} of {}", to - from);
        }
        from = to;
    }
    assert_eq!(monitor.monitor().retired(0).evicted, 10 * remembered as u64 - 500);
    // A hash table that is half full grows once before it reuses the places of what was taken out.
    assert!(bytes[3] <= 2 * bytes[0], "{bytes:?}");
    for key in [0, 1, 4_000, 49_000] {
        let args = json!({"invoice": format!("invoice-{key:06}")});
        assert_eq!(call(&mut monitor, "pay", &args, &ok), Decision::Alert, "never forgiven");
    }
}
