// The parts of the simulation: shapes of traffic against budgets, callers on free credit, crowds under rate limits.
import { agentsAgainstBudget, type Shape, type Traffic } from "./agents.ts";
import { type TeamShape, type TeamUse, teamOnAllowance } from "./allowance.ts";
import { type CreditShape, type CreditUse, callersOnFreeCredit } from "./free-credit.ts";
import { crowdUnderRateLimit, type RateShape, type RateUse } from "./rate-limit.ts";
import type { Rule } from "./rules.ts";
import { playAll, seedsFrom } from "./virtual-time.ts";

export type BudgetResult = { name: string; rule: Rule; isJudged: boolean; runs: Traffic[] };
export type CreditResult = { name: string; runs: CreditUse[] };
export type RateResult = { name: string; shape: RateShape; runs: RateUse[] };
export type TeamResult = { shape: TeamShape; rule: Rule; runs: TeamUse[] };
export type Results = { budgets: BudgetResult[]; credits: CreditResult[]; rates: RateResult[]; teams: TeamResult[] };

export type Extent = {
  /** Runs of each judged shape under the new rule. */
  runs: number;
  /** Runs of everything else. */
  fewerRuns: number;
  firstSeed: number;
};

type NamedShape = Shape & { name: string };

const shapeA: NamedShape = { name: "A", budgetUsd: 50, agents: 10, contextKb: 600 };
const shapeB: NamedShape = { name: "B", budgetUsd: 50 };
const judged = [shapeA, shapeB];
/** Shapes that are printed and not judged: one full bound is a large part of a small budget, or all. */
const printed: NamedShape[] = [
  { ...shapeA, name: "A, long answers", longAnswers: true },
  { ...shapeB, name: "B, 5 USD", budgetUsd: 5 },
  { ...shapeB, name: "B, 20 USD", budgetUsd: 20 },
  { ...shapeB, name: "B, 200 USD", budgetUsd: 200 },
];

const crowds = [
  { who: "1 caller", callers: 1, parallel: 1 },
  { who: "2 callers, 2 at a time", callers: 2, parallel: 2 },
  { who: "8 callers, 2 at a time", callers: 8, parallel: 2 },
];
const requests: (Pick<CreditShape, "bytes" | "maxTokens"> & { what: string })[] = [
  { what: "to 4 KB, `max_tokens` 256 to 1,024", bytes: [400, 4_000], maxTokens: [256, 512, 1_024] },
  { what: "to 8 KB, 128,000", bytes: [400, 8_000], maxTokens: [128_000] },
  { what: "to 40 KB, 1,024 to 128,000", bytes: [1_000, 40_000], maxTokens: [1_024, 8_192, 128_000] },
];

/** Callers, and their calls in flight. */
const teams = [
  ...([
    [5, 5],
    [20, 12],
    [70, 12],
    [300, 12],
  ] as const),
  ...([
    [20, 20],
    [70, 40],
    [300, 64],
  ] as const),
];
const maxTokensOfTeams = [32_000, 128_000];

const rates: (RateShape & { name: string })[] = [
  { name: "64 clients", clients: 64, rate: { burst: 60, perMinute: 600 } },
  { name: "32 clients", clients: 32, rate: { burst: 1, perMinute: 60 } },
  { name: "64 clients", clients: 64, rate: { burst: 10, perMinute: 3_000 } },
  { name: "32 clients", clients: 32, rate: { burst: 60, perMinute: 600 }, changed: { burst: 120, perMinute: 1_200 } },
  { name: "32 clients", clients: 32, rate: { burst: 60, perMinute: 600 }, changed: { burst: 10, perMinute: 60 } },
  { name: "32 clients", clients: 32, rate: { burst: 60, perMinute: 1 }, changed: { burst: 60, perMinute: 600 } },
];

export function budgetRuns(rule: Rule, shape: Shape, { firstSeed, runs }: { firstSeed: number; runs: number }) {
  return playAll(seedsFrom(firstSeed, runs), (seed) => agentsAgainstBudget(rule, shape, seed));
}

export function teamRuns(rule: Rule, shape: TeamShape, { firstSeed, runs }: { firstSeed: number; runs: number }) {
  return playAll(seedsFrom(firstSeed, runs), (seed) => teamOnAllowance(rule, shape, seed));
}

/** @param progress is told what comes next */
export async function simulate(extent: Extent, progress: (text: string) => void): Promise<Results> {
  const { firstSeed, runs, fewerRuns } = extent;
  const fewer = { firstSeed, runs: fewerRuns };
  const results: Results = { budgets: [], credits: [], rates: [], teams: [] };

  const budget = async ({ name, ...shape }: NamedShape, rule: Rule, isJudged: boolean) => {
    progress(`${name}, ${rule}`);
    const extentOf = isJudged ? { firstSeed, runs } : fewer;
    results.budgets.push({ name, rule, isJudged, runs: await budgetRuns(rule, shape, extentOf) });
  };
  for (const shape of judged) {
    await budget(shape, "new", true);
    await budget(shape, "plain", false);
    await budget(shape, "before", false);
  }
  for (const shape of printed) await budget(shape, "new", false);

  for (const { what, ...request } of requests) {
    for (const { who, ...crowd } of crowds) {
      const name = `${what} | ${who}`;
      progress(name);
      const begin = (seed: number) => callersOnFreeCredit({ ...request, ...crowd }, seed);
      results.credits.push({ name, runs: await playAll(seedsFrom(firstSeed, fewerRuns), begin) });
    }
  }

  for (const { name, ...shape } of rates) {
    progress(`rate limit, ${name}`);
    const begin = (seed: number) => crowdUnderRateLimit(shape, seed);
    const seeds = seedsFrom(firstSeed, Math.ceil(fewerRuns / 20));
    results.rates.push({ name, shape, runs: await playAll(seeds, begin) });
  }

  for (const maxTokens of maxTokensOfTeams) {
    for (const [callers, inFlight] of teams) {
      for (const rule of ["new", "kept"] as const)
        results.teams.push(await team({ callers, inFlight, maxTokens }, rule));
    }
  }
  return results;

  async function team(shape: TeamShape, rule: Rule): Promise<TeamResult> {
    progress(`a team of ${shape.callers}, ${rule}`);
    return { shape, rule, runs: await teamRuns(rule, shape, { firstSeed, runs: Math.ceil(fewerRuns / 4) }) };
  }
}
