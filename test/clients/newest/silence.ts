// What clients see of a model host that falls silent in a streamed answer, and what is billed: each point of a stream, for each length of silence, in
// real time, since the limits of clients are.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseCatalog, profileFor } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { type Stack, startLocal } from "../../../local/stack.ts";
import { ledgerSince, settled } from "../../support/accounting/accounting.ts";
import { aServiceAccount, type ServiceAccount } from "../../support/proxy-client.ts";
import { run } from "../child.ts";
import { isProbe } from "../judge.ts";
import { type Exchange, record } from "../recorder.ts";
import type { NewestClient } from "./client.ts";
import type { Silence } from "./results.ts";

const points: [name: string, after: number][] = [
  ["before the first event", 0],
  ["after `message_start`", 1],
  ["in the text", 8],
];
/** The stack ends a stream after 300 s. */
const lengths: [name: string, milliseconds: number | undefined][] = [
  ["10 s", 10_000],
  ["60 s", 60_000],
  ["295 s", 295_000],
  ["ever", undefined],
];
/** A client that asks again is stopped at the end. */
const longestMs = 420_000;
const atOnce = 8;

type Cell = { point: string; seconds: string; model: string };
type Asked = { client: NewestClient; modules: string; account: ServiceAccount; cell: Cell };

export async function playSilences(
  clients: readonly NewestClient[],
  installed: (client: NewestClient) => { modules: string },
  say: (line: string) => void,
): Promise<Silence[]> {
  const stack = await startLocal({ port: 0, ephemeral: true });
  try {
    const cells = silentCells(stack);
    const openedAt = stack.clock.now();
    const asked: Asked[] = [];
    for (const client of clients) {
      const { modules } = installed(client);
      const account = await aServiceAccount(stack, { allow_global_profiles: true, max_in_flight: 200 });
      asked.push(...cells.map((cell) => ({ client, modules, account, cell })));
    }
    const seen = await inTurns(asked, async (one) => {
      const saw = await playSilent(stack, one);
      say(`${one.client.name}, ${one.cell.point}, ${one.cell.seconds}: ${saw}`);
      return { ...one, saw };
    });
    await settled(stack);
    const rows = await ledgerSince(stack, openedAt);
    return seen.map(({ client, account, cell, saw }) => {
      const own = rows.filter(({ caller_id, model }) => caller_id === account.caller_id && model === cell.model);
      const billed = own.reduce((sum, { cost, known }) => sum + (known?.cost ?? cost), 0) / 1e9;
      const calls = `${own.length} ${own.length === 1 ? "call" : "calls"}`;
      return {
        client: client.name,
        point: cell.point,
        seconds: cell.seconds,
        saw,
        billed: `${billed.toFixed(6)} USD, ${calls}`,
      };
    });
  } finally {
    await stack.stop();
  }
}

/** Each silence has a model of its own, by which the host knows which one it is to play. */
function silentCells(stack: Stack): Cell[] {
  const models = parseCatalog(catalogData).models.toReversed();
  return points.flatMap(([point, after]) =>
    lengths.map(([seconds, milliseconds]) => {
      const model = models.pop();
      const profile = model && profileFor(model, "eu-central-1", { allowGlobal: true });
      if (!model || !profile) throw new Error("there are fewer models than silences");
      const times = Number.POSITIVE_INFINITY;
      stack.bedrock.fail({ error: "stall", model: profile, after, times, ...(milliseconds && { milliseconds }) });
      return { point, seconds, model: model.id };
    }),
  );
}

async function playSilent(stack: Stack, { client, modules, account, cell }: Asked): Promise<string> {
  const folders = mkdtempSync(join(tmpdir(), "archway-client-"));
  const [home, folder] = [join(folders, "home"), join(folders, "work")];
  for (const each of [home, folder]) mkdirSync(each);
  const recorder = await record(stack.edge);
  const baseUrl = `${recorder.address}/@${stack.demo?.slug}.proxy/vendor`;
  const place = { baseUrl, credential: account.key, model: cell.model, modules, home, folder };
  const startedAt = performance.now();
  try {
    const [command] = client.steps({ task: "stream", place }) ?? [];
    if (!command) return "it does not stream";
    const { killed, exitCode, output } = await run(command, AbortSignal.timeout(longestMs));
    const end =
      killed !== undefined
        ? "still asking after 420 s"
        : /played by the local model host/.test(output) && exitCode === 0
          ? "the answer"
          : "an error";
    await recorder.close();
    const messages = recorder.exchanges.filter(
      (exchange) => !isProbe(exchange) && exchange.url.includes("/v1/messages"),
    );
    return `${end} after ${Math.round((performance.now() - startedAt) / 1_000)} s: ${messages.map(wordsOf).join("; ")}`;
  } finally {
    await recorder.close().catch(() => {});
    rmSync(folders, { recursive: true, force: true });
  }
}

function wordsOf({ status, pings, error, clientLeft }: Exchange): string {
  const ending = error ? error.replace(/:.*/s, "") : clientLeft ? "left by the client" : "complete";
  return `${status}, ${pings} ${pings === 1 ? "ping" : "pings"}, ${ending}`;
}

async function inTurns<T, R>(all: readonly T[], act: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = [...all.entries()];
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await act(next[1]);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
