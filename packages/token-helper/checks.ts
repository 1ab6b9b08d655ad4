// Checks everything that a client needs, from the address to an answer. The first failure comes with advice.

import { Failure } from "../command-line/failure.ts";
import { valueIn } from "../command-line/machine/settings-file.ts";
import { callerOf } from "../sign-in/caller.ts";
import { type Discovery, discover } from "../sign-in/platform/discovery.ts";
import { type Me, onlyCredit } from "../sign-in/platform/platform.ts";
import { describe, type Session } from "../sign-in/session.ts";
import { chooseModels, chooseRegion, regionOf } from "./choice.ts";
import { detourAdvice, detours, ownSettings } from "./clients/claude-code-detours.ts";
import { callModel, modelsIn } from "./models.ts";
import { isListed } from "./own-call.ts";
import { workspaceOf } from "./workspace.ts";

export type Check = { check: string; ok: boolean; detail: string };
type Wanted = { call: boolean; model?: string | undefined; region?: string | undefined };

const mostClockSeconds = 60;

/** The checks in order; none follows a failure. */
export async function* checks(session: Session, { call, model, region }: Wanted): AsyncGenerator<Check> {
  const description = yield* step("profile", async () => {
    const found = describe(session);
    return [found, `${session.profile.name}, signed in at ${found.url}`];
  });
  if (!description) return;
  const found = yield* step("address", async () => {
    const answer = await discover(description.url, session.machine.now());
    return [answer, `${description.url} answers, sign-in is at ${new URL(answer.discovery.auth_url).host}`];
  });
  if (!found) return;
  if (!(yield* step("clock", async () => [true, clock(found.behind)]))) return;
  const caller = yield* step("token", async () => {
    const got = await callerOf(session);
    return [got, changed(description.discovery, found.discovery) ?? "one that the platform takes"];
  });
  if (!caller) return;
  const { platform, me } = caller;
  const workspace = yield* step("grant", async () => {
    const got = workspaceOf(me, platform.consoleUrl);
    return [got, `${got.budget.models.length} models in ${got.slug}, as ${got.role}`];
  });
  if (!workspace) return;
  const where = chooseRegion(workspace.budget, region);
  const models = yield* step("models", async () => {
    const listed = await modelsIn(platform, workspace.slug, regionOf(workspace.budget, where));
    if (listed.length === 0)
      throw new Failure("failed", "the proxy lists no model for you: ask your workspace's owner for a grant");
    return [listed, `the proxy at ${platform.proxyUrl(workspace.slug)} lists ${listed.length}`];
  });
  if (!models || !call) return;
  const isAnswered = yield* step("call", async () => {
    const ids = models.map(({ id }) => id);
    const small = model ?? chooseModels(ids, regionOf(workspace.budget, where), {}).smallModel;
    const id = await callModel(platform, { slug: workspace.slug, model: small, region: where });
    if (!(await isListed(platform, me.user_id, (call) => call.request_id === id)))
      throw new Failure("failed", `${small} answers, and the platform lists no such call: who answers there?`);
    return [true, `${small} answers`];
  });
  if (!isAnswered) return;
  if (!(yield* step("credit", async () => [true, creditAdvice(me, platform.consoleUrl)]))) return;
  yield* step("claude", async () => [true, claudeCodeAdvice(session, platform.proxyUrl(workspace.slug))]);
}

/** An assistant's first request tells the model of its tools, which takes some 50,000 tokens; a free credit has 10,000. */
const firstRequestTokens = 50_000;

/** @throws Failure where a free credit is all there is, since no assistant works with it. */
function creditAdvice(me: Me, consoleUrl: string): string {
  const credit = onlyCredit(me);
  if (!credit || credit.left_tokens >= firstRequestTokens) return "enough for an assistant";
  const { left_tokens: left, granted_tokens: granted } = credit;
  const need = `an assistant's first request needs some ${firstRequestTokens}`;
  const cure = `the workspace's owner adds a payment method in ${consoleUrl}, under billing`;
  throw new Failure("failed", `${left} of ${granted} tokens of free credit are all there is, and ${need}: ${cure}`);
}

/** Of who has set Claude Code up. @throws Failure for what leads it past the platform */
function claudeCodeAdvice({ machine }: Session, address: string): string {
  if (valueIn(ownSettings(machine), ["env", "ANTHROPIC_BASE_URL"]) !== address) return "not set up for this workspace";
  const [detour] = detours(machine, address);
  if (detour) throw new Failure("failed", detourAdvice(detour));
  return "its settings lead here, and nothing leads elsewhere";
}

async function* step<T>(check: string, work: () => Promise<[T, string]>): AsyncGenerator<Check, T | undefined> {
  try {
    const [result, detail] = await work();
    yield { check, ok: true, detail };
    return result;
  } catch (error) {
    yield { check, ok: false, detail: (error as Error).message };
    return undefined;
  }
}

function clock(behind: number): string {
  const off = Math.abs(behind);
  if (off <= mostClockSeconds) return "right";
  const by = off < 7_200 ? `${Math.round(off / 60)} minutes` : `${Math.round(off / 3_600)} hours`;
  throw new Failure(
    "failed",
    `this machine's clock is ${by} ${behind > 0 ? "behind" : "ahead"}: set it, other programs go by it too`,
  );
}

/** The facts of the platform that have changed since the sign-in noted them. */
function changed(kept: Discovery, now: Discovery): string | undefined {
  if (JSON.stringify(kept) === JSON.stringify(now)) return undefined;
  return "one that the platform takes; the platform's addresses have changed since the sign-in: archway login reads them anew";
}
