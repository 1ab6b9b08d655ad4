// 1,000 bodies, each with a field that nobody knows somewhere in it, against the local model host, which refuses each: the host gets the body without
// that field, and nothing that other callers send is changed by it.
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import type { Stack } from "../../../local/stack.ts";
import { bodyWith, holders } from "../../support/messages/nested-body.ts";
import { ask } from "../../support/proxy-client.ts";
import { type Account, accountElsewhere } from "../accounts.ts";
import type { Opened } from "../headless.ts";

const count = 1_000;
const model = "claude-sonnet-5-5";
/** No field that anybody has: the host's schema refuses it. */
const fields = fc.stringMatching(/^[a-z][a-z_]{2,12}_x$/);

/** What a call came to: the bodies that the host took, of this call alone. */
type Asked = { status: number; text: string; dropped: string; taken: unknown[]; refused: number };

/** @returns what is wrong, in words */
export async function playUnknownFields({ stack, accounts }: Opened, say: (line: string) => void): Promise<string[]> {
  const caller = accounts.granted;
  const problems: string[] = [];
  const thinking = await thoughtOf(stack, caller);
  // A made conversation has no prefix that thinking could be bound to.
  stack.bedrock.configure({ bindsThinking: false });
  const other = await accountElsewhere(stack);
  const before = await seenOfOthers(stack, other, thinking);
  let refused = 0;
  for (const [holder, field, value] of fc.sample(
    fc.tuple(fc.constantFrom(...holders), fields, fc.jsonValue({ maxDepth: 2 })),
    { numRuns: count, seed: 36 },
  )) {
    const [healed, whole] = [
      await send(stack, caller, bodyWith(holder, field, value, thinking)),
      await send(stack, caller, bodyWith("none", field, value, thinking)),
    ];
    refused += healed.refused;
    const named = healed.dropped.split(", ").some((each) => each.split(/[.\]]/).at(-1) === field || each === field);
    const same = isDeepStrictEqual(healed.taken, whole.taken) && whole.taken.length === 1;
    if (healed.status !== 200 || !named || !same) {
      problems.push(
        `${field} in ${holder}: ${healed.status}, dropped "${healed.dropped}" ${same ? "" : "the host's bodies differ "}${healed.text.slice(0, 200)}`,
      );
    }
  }
  const after = await seenOfOthers(stack, other, thinking);
  if (!isDeepStrictEqual(before, after)) problems.push("the bodies of another workspace have changed");
  say(
    `${count} bodies with an unknown nested field: ${problems.length} errors; the host refused ${refused} times, and took each body without the field alone`,
  );
  say(
    `another workspace's ${after.length} bodies before and after: ${isDeepStrictEqual(before, after) ? "the same" : "different"}`,
  );
  return problems;
}

async function send(stack: Stack, { slug, credential }: Account, body: object): Promise<Asked> {
  const known = stack.bedrock.requests().at(-1);
  const answer = await ask(stack, { ...body, model, stream: true, max_tokens: 500 }, { key: credential, slug });
  const text = await answer.text();
  const requests = stack.bedrock.requests();
  const calls = requests.slice(known ? requests.lastIndexOf(known) + 1 : 0);
  return {
    status: answer.status,
    text,
    dropped: answer.headers.get("x-archway-dropped") ?? "",
    taken: calls.filter(({ error }) => error === undefined).map(({ body: taken }) => taken),
    refused: calls.filter(({ error }) => error !== undefined).length,
  };
}

/** A block of thinking with the model's own signature. */
async function thoughtOf(stack: Stack, { slug, credential }: Account): Promise<object> {
  const asked = { model, stream: false, max_tokens: 2_000, thinking: { type: "adaptive" } };
  const answer = (await (await ask(stack, asked, { key: credential, slug })).json()) as { content: { type: string }[] };
  const thought = answer.content.find(({ type }) => type === "thinking");
  if (!thought) throw new Error("the model did not think");
  return thought;
}

/** The bodies that the host gets of another workspace: one of each kind, with fields of the Messages API and one that nobody knows. */
async function seenOfOthers(stack: Stack, other: Account, thinking: object): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (const holder of ["none", ...holders]) {
    const { status, taken } = await send(stack, other, bodyWith(holder, "of_tomorrow_x", 1, thinking));
    seen.push({ holder, status, taken });
  }
  return seen;
}
