// Plays one scenario with the newest version of a client, and says what came of it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReceivedCall } from "../../../emulators/bedrock/journal.ts";
import { type Finished, run } from "../child.ts";
import type { Opened } from "../headless.ts";
import { isFailure, isProbe } from "../judge.ts";
import { type Exchange, record } from "../recorder.ts";
import { readableFiles } from "../scenarios.ts";
import type { NewestClient, Place } from "./client.ts";
import { unclassedIn } from "./fields.ts";
import { keepsPrefix } from "./prefix.ts";
import { inscription, type Scenario } from "./scenarios.ts";

/** `ok`: with what was refused on the way; `vendor`: refused with the model host's own words, as the vendor would; `client`: it fails before it asks anything; `none`: no such feature. */
export type Outcome = { is: "ok" | "vendor" | "client" | "none" | "FAIL"; why?: string };

export type Played = Outcome & {
  exchanges: Exchange[];
  /** Fields of the requests that the table does not know. */
  unclassed: string[];
};

/** Of one step; a client that asks again after a failure waits for longer each time. */
const longestMs = 120_000;
const noSuchFeature = 64;
/** As the clients' tools name what is to be read. */
const files = [...readableFiles, "absolute_path", "path_to_file"];

export async function play(
  { stack, accounts }: Opened,
  client: NewestClient,
  scenario: Scenario,
  { model, modules }: Pick<Place, "model" | "modules">,
): Promise<Played> {
  const folders = mkdtempSync(join(tmpdir(), "archway-client-"));
  const [home, folder] = [join(folders, "home"), join(folders, "work")];
  for (const each of [home, folder]) mkdirSync(each);
  for (const name of files) writeFileSync(join(folder, name), `${inscription}\n`);
  const { slug, credential } = accounts[scenario.account ?? "granted"];
  const recorder = await record(stack.edge);
  const baseUrl = `${recorder.address}/@${slug}.proxy/vendor`;
  const finished: Finished[] = [];
  let host: ReceivedCall[] = [];
  try {
    const steps = client.steps({ task: scenario.task, place: { baseUrl, credential, model, modules, home, folder } });
    if (!steps) return { is: "none", exchanges: [], unclassed: [] };
    if (scenario.fault) stack.bedrock.fail(scenario.fault);
    for (const step of steps) {
      finished.push(await run(step, AbortSignal.timeout(longestMs)));
      if (finished.at(-1)?.exitCode === noSuchFeature) return { is: "none", exchanges: [], unclassed: [] };
      if (finished.at(-1)?.killed !== undefined) break;
    }
  } finally {
    await recorder.close();
    host = stack.bedrock.requests();
    stack.bedrock.clear();
    rmSync(folders, { recursive: true, force: true });
  }
  const { exchanges } = recorder;
  const told = exchanges.filter((exchange) => !isProbe(exchange));
  const asked = told.filter(({ url }) => /\/v1\/messages(\?|$)/.test(url));
  const bodies = asked.map(({ body }) => parse(body));
  const unclassed = [...new Set(bodies.flatMap(unclassedIn))];
  return { ...judged(), exchanges, unclassed };

  function judged(): Outcome {
    const { output, killed, exitCode } = finished.at(-1) as Finished;
    if (asked.length === 0) return { is: "client", why: lastLine(output) };
    const isOfHost = host.some(({ error }) => error === "ValidationException");
    const refused = told.flatMap((exchange) => wordsOfVendor(exchange, isOfHost))[0];
    const failure = told.find(isFailure);
    // A terminal breaks lines.
    const isShown = scenario.shows.test(output.replaceAll(/\s+/g, " ")) && (exitCode === 0 || scenario.mayFail);
    if (refused !== undefined && !isShown) return { is: "vendor", why: refused };
    if (failure && refused === undefined && !scenario.mayFail) {
      return { is: "FAIL", why: `${failure.method} ${failure.url}: ${failure.status} ${failure.error ?? ""}` };
    }
    if (killed !== undefined) return { is: "FAIL", why: `still running after ${longestMs / 1_000} s` };
    if (!isShown) return { is: "FAIL", why: `ended with ${exitCode} without ${scenario.shows}: ${lastLine(output)}` };
    if (scenario.sends && !bodies.some(scenario.sends)) return { is: "none" };
    if (scenario.task === "conversation" && !keepsPrefix(bodies, host)) {
      return { is: "FAIL", why: "what the model host got of a turn is not the beginning of the next" };
    }
    if (scenario.task === "cache" && !host.some(({ usage }) => (usage?.cache_read_input_tokens ?? 0) > 0)) {
      return { is: "FAIL", why: "nothing was read from the cache" };
    }
    if (scenario.mayFail) return { is: "ok", why: ending(told) };
    return { is: "ok", ...(refused !== undefined && { why: refused }) };
  }
}

/** The words of a refusal that is the model host's own, or that names a part which is not to be had. */
function wordsOfVendor({ status, error = "" }: Exchange, isOfHost: boolean): string[] {
  const words = error.replace(/^[^:]*: /, "");
  const isVendors = (isOfHost && !/Extra inputs/.test(words)) || /^\S+: is not available here/.test(words);
  return status === 400 && isVendors ? [words] : [];
}

/** How a client took what went wrong: the statuses that it got. */
function ending(exchanges: Exchange[]): string {
  return exchanges.map(({ status, inStream }) => (inStream ? `${status} broken off` : status)).join(", ");
}

function parse(body: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}

const lastLine = (output: string) => (output.trim().split("\n").at(-1) ?? "").slice(0, 160);
