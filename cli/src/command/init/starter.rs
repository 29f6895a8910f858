//! The text of a starter contract: what each part is for, and what else could be there.
//!
//! INVARIANT: a line that starts with `#` and no space, or with two, is a suggestion: without the `#` it is a part of the
//! contract. A test takes all of them up.

use contract_lang::catalog::Tool;

use super::{suggestion, tools};

const HEAD: &str = "\
# A contract for the tool calls of an agent: what it may do, in which order, how often.
# It is checked with `interlock lint`, tried on recorded calls with `interlock replay`, and explained by `interlock explain`.
# Lines without a space after the `#` are suggestions: take the `#` away to use them.
version: 1
";

const MODE: &str = "
# `shadow` records what would be decided and lets everything run: a way to begin.
#mode: shadow
";

const DEFAULT: &str = "
# What becomes of calls that no rule speaks of, by the effect of the tool: `allow`, `alert`, `ask` or `block`.
default: { read: allow, write: allow, irreversible: block }
";

/// A contract with tools that are made up.
pub(super) fn example(name: &str) -> String {
    format!("{HEAD}name: {name}\n{MODE}{DEFAULT}{EXAMPLE}")
}

const EXAMPLE: &str = "
# What becomes of calls to tools that are not listed below.
undeclared: block

# The tools, by name or glob. `read` changes nothing, `write` can be undone, `irreversible` cannot; a tool without an effect
# counts as irreversible. These are made up: put yours here (`interlock init --from tools.json` lists those of an MCP server).
tools:
  find_order: { effect: read }
  validate_order: { effect: read }
  update_order: { effect: write }
  delete_order: { effect: irreversible }
  send_payment: { effect: irreversible }

# Facts that only results of tools write, never what the agent says.
#state:
#  open_orders: { type: set<string>, max: 1000, initial: [] }
#commit:
#  - after: ok(find_order)
#    when: result.status == \"open\"
#    insert: { open_orders: args.order_id }

rules:
  # In order: each order is validated before it is deleted. `per` makes the rule hold for each order by itself, and
  # `instances` bounds how many are remembered.
  - id: validate-before-delete
    must_precede: { first: validate_order, then: delete_order }
    per: args.order_id
    instances: { max: 10000 }
  # How often: an invoice is paid once. What failed does not count.
  - id: once-per-invoice
    at_most_n_times: { call: send_payment, n: 1 }
    per: args.invoice
    count: succeeded
    instances: { max: 10000 }
  # On which arguments: otherwise the call is blocked, and the agent is told the message.
  - id: small-payments
    call: send_payment
    require: args.amount > 0 and args.amount <= 500
    message: \"payments are at most 500, and this is {args.amount}\"
  # How much: in every window of a day.
#  - id: payments-of-a-day
#    at_most_total: { call: send_payment, sum: args.amount, limit: 2000, window: 24h }
  # With a person: `ask` instead of `block`.
#  - id: ask-before-large-payments
#    forbid: send_payment where args.amount > 100
#    action: ask
  # By a fact that a tool has told.
#  - id: only-open-orders
#    call: update_order
#    require: args.order_id in state.open_orders
";

/// A contract with the tools of a server.
pub(super) fn of_tools(name: &str, listed: &[Tool], file: Option<&str>) -> String {
    let catalog = match file {
        Some(file) => format!(
            "
# What the server says of its tools: `interlock lint` holds the contract against it.
catalog: [{}]
",
            tools::quoted(file)
        ),
        None => String::new(),
    };
    let declared = tools::declared(listed);
    let rules = suggestion::rules(listed);
    format!("{HEAD}name: {name}\n{MODE}{catalog}{DEFAULT}{declared}{rules}")
}
