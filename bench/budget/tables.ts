// The results as Markdown.
import type { Purpose } from "./account.ts";
import type { TeamUse } from "./allowance.ts";
import type { BudgetResult, CreditResult, RateResult, Results, TeamResult } from "./parts.ts";
import { most, perThousand, storeCallsEach, sum, waitQuantiles } from "./totals.ts";

export function tables({ budgets, credits, rates, teams }: Results): string {
  return [
    heading("Agents against a budget, per 1,000 calls"),
    table(
      ["Shape", "Rule", "Calls", "Refused, over 10 % left", "Refused", "Given up", "Over by, requests", "Shortened"],
      ["Of it cut short", "Waited", "p50 / p99 s"],
      budgets.map(budgetRow),
    ),
    heading("Calls to the store beyond the three of the warm path, a request"),
    table(
      ["Shape", "Rule", ...purposeGroups.map(([name]) => name)],
      ["All"],
      budgets.filter(({ rule }) => rule !== "before").map(storeRow),
    ),
    heading("Free credit"),
    table(
      ["Requests", "Callers", "Calls", "Refused with credit left, of 1,000", "Of it for others", "Most taken"],
      ["Mean taken", "Shortened, of 1,000", "Cut short", "p50 / p99 s", "Store calls a request"],
      credits.map(creditRow),
    ),
    heading("Rate limit"),
    table(
      ["Clients", "Burst / a minute", "Changed to", "Admitted of allowed", "First minute after", "Later"],
      ["Beyond it, calls", "Longest gap, intervals", "Wrong guesses a call", "Writes a refusal"],
      rates.map(rateRow),
    ),
    heading("A team in the first tier, 50 USD, per 1,000 calls; to a tenth used / from there to half"),
    table(
      ["`max_tokens`", "Callers, in flight", "Rule", "Calls", "Refused", "Given up", "Shortened", "Of it cut short"],
      ["Waited", "p50 / p99 s", "Draws a request", "Take-backs a request", "Store calls a request"],
      teams.map(teamRow),
    ),
  ].join("\n\n");
}

/** Calls of a kind stand together. A waiting call is admitted by filling its ticket, which saves an admission. */
const purposeGroups: [name: string, purposes: Purpose[]][] = [
  ["Admission", ["admission", "guess"]],
  ["True-up", ["true-up"]],
  ["Renewal", ["renewal"]],
  ["Move in", ["move-in"]],
  ["Ticket", ["ticket"]],
  ["Fill", ["fill"]],
  ["Room", ["waiting room"]],
  ["Settled at 0", ["settlement", "ledger", "transaction"]],
  ["Reads", ["read", "limits"]],
];

function budgetRow({ name, rule, runs }: BudgetResult): string[] {
  const calls = sum(runs, (run) => run.calls);
  const each = (of: (run: (typeof runs)[number]) => number) => number(perThousand(sum(runs, of), calls));
  return [
    ...[name, rule, whole(calls)],
    ...[each((run) => run.refusedWithMoneyLeft), each((run) => run.refused), each((run) => run.givenUp)],
    ...[number(most(runs, (run) => run.overshoot)), each((run) => run.shortened), each((run) => run.cutShort)],
    ...[each((run) => run.waits.length), seconds(runs)],
  ];
}

function storeRow({ name, rule, runs }: BudgetResult): string[] {
  const { extra, all } = storeCallsEach(runs);
  const groups = purposeGroups.map(([, purposes]) => number(sum(purposes, (purpose) => extra[purpose])));
  return [name, rule, ...groups, number(all - 3)];
}

function creditRow({ name, runs }: CreditResult): string[] {
  const calls = sum(runs, (run) => run.calls);
  const each = (of: (run: (typeof runs)[number]) => number) => number(perThousand(sum(runs, of), calls));
  return [
    ...[name, whole(calls), each((run) => run.refused), each((run) => run.refusedForOthers)],
    ...[whole(most(runs, (run) => run.takenTokens)), whole(sum(runs, (run) => run.takenTokens) / runs.length)],
    ...[each((run) => run.shortened), each((run) => run.cutShort), seconds(runs), number(storeCallsEach(runs).all)],
  ];
}

function rateRow({ name, shape, runs }: RateResult): string[] {
  const { rate, changed } = shape;
  const limit = (of: typeof rate | undefined) => (of ? `${of.burst} / ${whole(of.perMinute)}` : "");
  const share = (index: number) => `${whole((100 * sum(runs, (run) => run.shares[index] ?? 0)) / runs.length)} %`;
  const admitted = sum(runs, (run) => run.admitted);
  const refused = sum(runs, (run) => run.refused);
  const writes = sum(runs, ({ storeCalls }) => storeCalls.admission) - admitted;
  return [
    ...[name, limit(rate), limit(changed), share(0), share(1), share(2)],
    ...[
      number(
        Math.max(
          0,
          most(runs, (run) => run.beyond),
        ),
      ),
      number(most(runs, (run) => run.longestGap)),
    ],
    ...[number(storeCallsEach(runs).extra.guess), number(writes / refused)],
  ];
}

function teamRow({ shape, rule, runs }: TeamResult): string[] {
  const phases = ["early", "later"] as const;
  const calls = (phase: "early" | "later") => sum(runs, (run) => run[phase].calls);
  const each = (of: (phase: TeamUse["early"]) => number) =>
    phases
      .map((phase) =>
        number(
          perThousand(
            sum(runs, (run) => of(run[phase])),
            calls(phase),
          ),
        ),
      )
      .join(" / ");
  const admitted = sum(runs, (run) => run.admitted);
  return [
    ...[whole(shape.maxTokens), `${shape.callers}, ${shape.inFlight}`, rule],
    ...[phases.map((phase) => whole(calls(phase))).join(" / "), each(({ refused }) => refused)],
    ...[each(({ givenUp }) => givenUp), each(({ shortened }) => shortened), each(({ cutShort }) => cutShort)],
    ...[
      number(
        perThousand(
          sum(runs, (run) => run.waits.length),
          calls("early") + calls("later"),
        ),
      ),
      seconds(runs),
    ],
    ...[
      number(sum(runs, (run) => run.storeCalls.draw) / admitted),
      number(sum(runs, (run) => run.takeBacks) / admitted),
    ],
    number(storeCallsEach(runs).all),
  ];
}

function seconds(runs: readonly { waits: number[] }[]): string {
  return waitQuantiles(runs)
    .map((quantile) => quantile.toFixed(1))
    .join(" / ");
}

function heading(text: string): string {
  return `**${text}**`;
}

function table(first: string[], rest: string[], rows: string[][]): string {
  const head = [...first, ...rest];
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Formats a number with three significant digits. */
function number(value: number): string {
  if (Math.abs(value) >= 100) return whole(value);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
