// Refusals as people meet them: in the middle of a conversation or at its start, with a key or with what `archway setup` wrote.
import { consoleToken } from "../../../local/demo/app-client.ts";
import { callControlPlane } from "../../../local/demo/workspace.ts";
import type { AccountName } from "../accounts.ts";
import { type Cell, type Mode, refusalOf, type Way } from "../cell.ts";
import { run } from "../child.ts";
import { watchStep } from "../headless.ts";
import type { AssistantName } from "./assistants.ts";
import { assistants } from "./assistants.ts";
import { bare } from "./person.ts";
import { answeredBy, developerOf, longestMs, type Place, watched } from "./play.ts";
import { type Desk, type Seat, signedIn, withKey } from "./seat.ts";

type Change = { desk: Desk; seat: Seat };

export type Refusal = {
  name: string;
  /** The key that is refused like that. */
  account: AccountName;
  /** Makes the platform refuse a person who was signed in and set up. */
  happens?(change: Change): Promise<void>;
  /** Ends the cause of the refusal. */
  ends?(change: Change): Promise<void>;
  /** Puts a mistake into the person's files before the first start. */
  files?(change: Change): void;
  /** Further arguments of `archway setup`. */
  setupArgs?: string[];
  /** A new token cures it: there may be an answer and no refusal. */
  isCurable?: boolean;
  /**
   * The assistants that ask for a new token only when the time has passed that setup lets them keep one. Here the stack's clock is moved
   * and theirs is not; a token that grows old in life is replaced before, since that time is shorter.
   */
  byOwnClock?: readonly AssistantName[];
  /** The assistants that try again for longer than it takes, whatever they are told. */
  stubborn?: readonly AssistantName[];
  budgetStatus?: 402;
  places(name: AssistantName): Place[];
};

const everywhere = (): Place[] => [
  // Without a terminal and with a key: the scenarios of ../scenarios.ts.
  ["headless", "setup"],
  ["terminal", "key"],
  ["terminal", "setup"],
];
/** Continue has no token to expire: setup makes it a key. */
const ofTokens = (name: AssistantName): Place[] => (name === "continue" ? [["terminal", "key"]] : everywhere());

const everything = {
  allowed_models: ["*"],
  allowed_regions: ["eu-central-1", "us-east-1"],
  monthly_budget_usd: 5_000,
};

async function grant({ desk }: Change, changes: object): Promise<void> {
  const { demo } = desk.stack;
  if (!demo) return;
  const token = await consoleToken(desk.stack, demo.owner);
  await callControlPlane(desk.stack, token, "PUT", `/v1/grants/${demo.developer.sub}`, { ...everything, ...changes });
  await forget(desk);
}

/** Ends the instances of the proxy, each of which remembers for a minute what it has read. */
async function forget({ stack }: Desk): Promise<void> {
  await Promise.all(
    stack.functions.all.filter(({ settings }) => settings.name.includes("proxy")).map((fn) => fn.kill()),
  );
}

async function admin({ desk }: Change, action: string, body: object): Promise<void> {
  const { demo } = desk.stack;
  if (!demo) return;
  const token = await consoleToken(desk.stack, demo.platform_admin);
  await callControlPlane(desk.stack, token, "POST", `/v1/tenants/${demo.tenant_id}/${action}`, body);
  await forget(desk);
}

const granted = (changes: object): Pick<Refusal, "happens" | "ends"> => ({
  happens: (change) => grant(change, changes),
  ends: (change) => grant(change, {}),
});
const spent = granted({ monthly_budget_usd: 0.0001 });

export const refusals: Refusal[] = [
  {
    name: "wrong key, expired token",
    account: "wrong key",
    isCurable: true,
    byOwnClock: ["claude-code-2.1.197", "opencode"],
    // A minute's token that is refused is not cured by another one: the helper leaves that alone.
    files: ({ seat }) => seat.age(600_000),
    happens: async ({ desk }) => desk.stack.clock.advance(2 * 3_600_000),
    places: ofTokens,
  },
  {
    name: "model not granted",
    account: "model not granted",
    ...granted({ allowed_models: ["claude-haiku-4-5"] }),
    places: everywhere,
  },
  {
    name: "region not granted",
    account: "region not granted",
    setupArgs: ["--region", "us-east-1"],
    ...granted({ allowed_regions: ["eu-central-1"] }),
    places: everywhere,
  },
  {
    name: "suspended workspace",
    account: "suspended workspace",
    happens: (change) => admin(change, "suspend", { reason: "A test" }),
    ends: (change) => admin(change, "resume", {}),
    places: everywhere,
  },
  { name: "spent budget", account: "spent budget", ...spent, stubborn: ["opencode"], places: everywhere },
  { name: "spent budget, answered 402", account: "spent budget", ...spent, budgetStatus: 402, places: everywhere },
  {
    name: "address of another workspace",
    account: "another workspace",
    files: ({ desk, seat }) => seat.rewrite(/@[\w-]+\.proxy/g, `@${desk.accounts["another workspace"].slug}.proxy`),
    places: everywhere,
  },
  {
    name: "address of no workspace",
    account: "no workspace",
    files: ({ seat }) => seat.rewrite(/@[\w-]+\.proxy/g, "@nobody-here.proxy"),
    places: everywhere,
  },
];

export async function playRefusal(
  desk: Desk,
  client: AssistantName,
  refusal: Refusal,
  mode: Mode,
  way: Way,
): Promise<Cell> {
  const sit = () =>
    way === "key"
      ? withKey(desk, client, desk.accounts[refusal.account])
      : signedIn(desk, client, developerOf(desk), refusal.setupArgs);
  let output: string | undefined;
  const isStubborn = refusal.stubborn?.includes(client) ?? false;
  const question = "And a vault?";
  const played = await watched(desk, client, sit, async ({ me, seat, recorder, wrong }) => {
    const change = { desk, seat };
    if (way === "setup") refusal.files?.(change);
    const happens = way === "setup" ? refusal.happens : undefined;
    const ends = way === "setup" ? refusal.ends : undefined;
    try {
      if (mode === "headless") {
        // A budget lets the first request through that would spend it: there is something spent before it is made small.
        if (happens)
          await run(seat.command(assistants[client].headless("What is an arch?")), AbortSignal.timeout(60_000));
        await happens?.(change);
        const watch = watchStep(recorder);
        const earlier = recorder.exchanges.length;
        const done = await run(seat.command(assistants[client].headless(question)), watch.signal);
        watch.end();
        output = done.output;
        // A program's start is its own matter, and takes seconds on a busy machine: the time counts from its first request.
        const asked = recorder.exchanges[earlier]?.startedAt ?? performance.now();
        const milliseconds = Math.round(performance.now() - asked);
        me.acts.push({ what: question, milliseconds, ended: done.killed === undefined });
        return;
      }
      await me.start(seat.command());
      if (happens) await answeredBy(me, wrong, "What is an arch?");
      await happens?.(change);
      const before = recorder.exchanges.length;
      const isTold = () => {
        const told = refusalOf({ exchanges: recorder.exchanges.slice(before), text: me.text });
        return told?.isRead ?? bare(me.text).includes(bare(`You asked: ${question}`));
      };
      await me.ask(question, isTold);
      await ends?.(change);
      if (happens && !refusal.byOwnClock?.includes(client)) await answeredBy(me, wrong, "And a dome?");
      await me.quit();
    } finally {
      await ends?.(change);
    }
  });
  const cell: Cell = {
    ...{ client, way, mode, scenario: refusal.name, isRefusal: true },
    ...played,
    text: output ?? played.text,
    problems: isStubborn ? played.problems.filter((problem) => !/took|no end/.test(problem)) : played.problems,
  };
  const told = refusalOf(cell);
  const isCured = refusal.isCurable && cell.text.includes("played by");
  if (!told && !isCured) cell.problems.push("nothing was refused");
  if (told && !told.isRead && !isCured) cell.problems.push(`the refusal cannot be read: ${told.status} ${told.error}`);
  if (mode === "headless" && cell.milliseconds > longestMs && !isStubborn) cell.problems.push("over ten seconds");
  return cell;
}
