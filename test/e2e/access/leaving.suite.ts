// Clients that leave, read slowly or close half of their connection. The model host bills the whole answer whoever listens,
// so each is settled at what it counted, and nothing stays reserved.

import http, { type IncomingMessage } from "node:http";
import net, { type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { ReceivedCall } from "../../../emulators/bedrock/journal.ts";
import type { Stack } from "../../../local/stack.ts";
import { settled } from "../../support/accounting/accounting.ts";
import {
  type Account,
  accountingOf,
  countedCost,
  countedUsage,
  expectClosed,
  openAccount,
} from "../../support/people/accounts.ts";
import { aRequest, ask } from "../../support/proxy-client.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { longTest } from "../../support/sizes.ts";

describe("leaving", () => {
  const path = "/vendor/v1/messages";
  /** Long enough to leave in the middle of, short enough to wait for. */
  const paced = { outputTokens: 60, tokensPerEvent: 1, millisecondsPerToken: 5 };

  let stack: Stack;
  let account: Account;

  beforeAll(async () => {
    stack = await sharedStack();
    account = await openAccount(stack);
    await (await ask(stack, {}, { key: account.key })).text();
    await settled(stack);
    stack.bedrock.clear();
  });
  afterEach(async () => {
    stack.faults.clear();
    stack.bedrock.clear();
    await settled(stack);
    await expectClosed(stack, account).catch(async (error) => {
      // The tests after it are not to fail for this one.
      account = await openAccount(stack);
      throw error;
    });
  });

  async function until(holds: () => unknown): Promise<void> {
    const end = performance.now() + 15_000;
    while (!(await holds())) {
      if (performance.now() > end) throw new Error(`it did not come to ${holds}`);
      await sleep(1);
    }
  }

  /** The store's calls stand still, those that are tried again too, until the faults are cleared. */
  const hanging = (operation: string) =>
    ({ service: "dynamodb", operation, when: "before", kind: "hang", times: 1_000 }) as const;

  const newestCall = () => stack.bedrock.requests().at(-1) as ReceivedCall;

  /** The ledger's rows that `act`, and what follows from it, add. */
  async function rowsAddedBy(act: () => Promise<unknown>) {
    await settled(stack);
    const before = new Set((await accountingOf(stack, account)).rows.map(({ request_id }) => request_id));
    await act();
    await stack.bedrock.idle();
    await settled(stack);
    return (await accountingOf(stack, account)).rows.filter(({ request_id }) => !before.has(request_id));
  }

  /** One call that the model host answered to its end, billed at what it counted. */
  async function expectBilledInFull(act: () => Promise<unknown>): Promise<void> {
    const known = stack.bedrock.requests().length;
    const rows = await rowsAddedBy(act);
    expect(stack.bedrock.requests()).toHaveLength(known + 1);
    const call = newestCall();
    expect(call.outcome).toBe("complete");
    expect(rows).toMatchObject([{ usage: countedUsage(call), cost: countedCost(call) }]);
    expect(["final", "drained"]).toContain(rows[0]?.source);
  }

  /** Sends a request that can be left at any time. */
  function send(changes: object = {}, options: { path?: string } = {}) {
    const leaving = new AbortController();
    const answer = ask(stack, changes, { key: account.key, signal: leaving.signal, ...options });
    answer.catch(() => {});
    return { answer, leave: () => leaving.abort() };
  }

  async function readUntil(response: Response, phrase: string): Promise<void> {
    let text = "";
    for await (const bytes of response.body?.pipeThrough(new TextDecoderStream(), { preventCancel: true }) ?? []) {
      text += bytes;
      if (text.includes(phrase)) return;
    }
    throw new Error(`the answer ended without ${phrase}`);
  }

  describe("a client that leaves", () => {
    test("a client that leaves before it is admitted is billed in full", async () => {
      stack.faults.put([hanging("UpdateItem")]);
      await expectBilledInFull(async () => {
        const { answer, leave } = send();
        await until(() => stack.faults.list()[0]?.struck);
        leave();
        await expect(answer).rejects.toThrow();
        expect(stack.bedrock.requests()).toHaveLength(0);
        stack.faults.clear();
        await until(() => stack.bedrock.requests().length);
      });
    });

    test.each([
      ["a stream", true],
      ["a whole answer", false],
    ])("a client that leaves before the first byte of %s is billed in full", async (_name, stream) => {
      stack.bedrock.fail({ error: "stall", after: 0 });
      await expectBilledInFull(async () => {
        const { answer, leave } = send({ stream });
        await until(() => stack.bedrock.requests().length);
        leave();
        await expect(answer).rejects.toThrow();
        stack.bedrock.resume();
      });
    });

    test("a client that leaves in the middle of a stream is billed in full", async () => {
      stack.bedrock.fail({ error: "stall", after: 4 });
      await expectBilledInFull(async () => {
        const { answer, leave } = send();
        await readUntil(await answer, "content_block_delta");
        leave();
        stack.bedrock.resume();
      });
    });

    // AWS documents that Lambda does not tell: without this the call is settled alike, as `final`.
    test("a client that leaves in the middle of a stream is drained if the function is notified", async () => {
      stack.bedrock.fail({ error: "stall", after: 4 });
      const rows = await rowsAddedBy(async () => {
        const { answer, leave } = send();
        await readUntil(await answer, "content_block_delta");
        leave();
        stack.functions.byName("proxy-local").breakStreams();
        stack.bedrock.resume();
      });
      const call = newestCall();
      expect(call.outcome).toBe("complete");
      expect(rows).toMatchObject([{ source: "drained", usage: countedUsage(call), cost: countedCost(call) }]);
    });

    test("a client that leaves after the last event, before the end, is billed in full", async () => {
      stack.faults.put([hanging("PutItem")]);
      await expectBilledInFull(async () => {
        const { answer, leave } = send();
        await readUntil(await answer, "event: message_stop");
        const settled = (await accountingOf(stack, account)).rows.length;
        leave();
        await until(() => stack.faults.list()[0]?.struck);
        expect((await accountingOf(stack, account)).rows).toHaveLength(settled);
        stack.faults.clear();
      });
    });

    test("a client that leaves during a count of tokens pays nothing", async () => {
      stack.bedrock.configure({ firstByteMs: 100 });
      const rows = await rowsAddedBy(async () => {
        const { leave } = send({ model: "claude-sonnet-4-6" }, { path: `${path}/count_tokens` });
        await until(() => stack.bedrock.requests().length);
        leave();
      });
      expect(rows).toEqual([]);
    });

    test("a client that leaves while it sends its request pays nothing, and no model is called", async () => {
      const rows = await rowsAddedBy(async () => {
        const { cursor } = stack.calls.since(0);
        const socket = await connected();
        socket.write(`${head(10_000)}{"model":"claude-sonnet-5",`);
        await new Promise<void>((resolve) => socket.end(resolve));
        socket.destroy();
        // The next request comes after it, on a connection of its own.
        await (await fetch(`${stack.at("acme.proxy")}/vendor/v1/messages/batches`)).text();
        expect(stack.calls.since(cursor).calls).toEqual([]);
      });
      expect(rows).toEqual([]);
    });

    test("a client that left before the model host failed is billed the written part", async () => {
      stack.bedrock.configure(paced);
      stack.bedrock.fail({ error: "serviceUnavailableException", after: 30 });
      const rows = await rowsAddedBy(async () => {
        const { answer, leave } = send();
        await readUntil(await answer, "content_block_delta");
        leave();
      });
      const call = newestCall();
      expect(call).toMatchObject({ outcome: "failed", error: "serviceUnavailableException" });
      expect(rows).toMatchObject([{ source: "estimated", usage: { input: countedUsage(call).input } }]);
      expect(rows[0]?.cost).toBeGreaterThanOrEqual(countedCost(call));
    });

    test("a client that left before the connection broke is billed the whole requested output", async () => {
      stack.bedrock.configure(paced);
      stack.bedrock.fail({ error: "break", after: 30 });
      const rows = await rowsAddedBy(async () => {
        const { answer, leave } = send({ max_tokens: 80 });
        await readUntil(await answer, "content_block_delta");
        leave();
      });
      expect(rows).toMatchObject([{ source: "estimated", usage: { output: 80 } }]);
      expect(rows[0]?.cost).toBeGreaterThanOrEqual(countedCost(newestCall()));
    });

    test("a call whose client left before the store failed is settled once from the queue", async () => {
      stack.bedrock.configure(paced);
      stack.faults.put([
        { service: "dynamodb", operation: "PutItem", match: "LEDGER#", when: "before", kind: "cut", times: 100 },
      ]);
      await expectBilledInFull(async () => {
        const { answer, leave } = send();
        await readUntil(await answer, "content_block_delta");
        leave();
        await stack.bedrock.idle();
        await settled(stack);
        stack.faults.clear();
        // A message that failed comes back when it is visible again.
        stack.clock.advance(10 * 60_000);
        await stack.queuePoller.idle();
      });
    });

    test("a client that leaves keeps its place in flight until the model host has ended", async () => {
      const narrow = await openAccount(stack, { max_in_flight: 1 });
      stack.bedrock.fail({ error: "stall", after: 4 });
      const leaving = new AbortController();
      await readUntil(await ask(stack, {}, { key: narrow.key, signal: leaving.signal }), "content_block_delta");
      leaving.abort();
      const refused = await ask(stack, {}, { key: narrow.key });
      expect([refused.status, await refused.json()]).toMatchObject([
        429,
        { error: { type: "rate_limit_error", details: { error_code: "concurrency_limited" } } },
      ]);
      stack.bedrock.resume();
      await stack.bedrock.idle();
      await settled(stack);
      const admitted = await ask(stack, {}, { key: narrow.key });
      expect(admitted.status).toBe(200);
      await admitted.text();
      await settled(stack);
      expect(await expectClosed(stack, narrow)).toHaveLength(2);
    });

    longTest("each of many clients that leave at once is billed", async () => {
      stack.bedrock.configure(paced);
      const rows = await rowsAddedBy(async () => {
        const sent = Array.from({ length: 6 }, (_, index) => send({ stream: index % 3 > 0 }));
        await until(() => stack.bedrock.requests().length === sent.length);
        for (const { leave } of sent) leave();
      });
      const calls = stack.bedrock.requests();
      expect(calls.map(({ outcome }) => outcome)).toEqual(calls.map(() => "complete"));
      expect(rows.map(({ cost }) => cost).sort()).toEqual(calls.map(countedCost).sort());
    });
  });

  describe("a client that reads slowly", () => {
    longTest("a slow client delays neither the model host nor the settlement, and gets the whole answer", async () => {
      // More than all buffers on the way take, so that the function itself has to wait.
      stack.bedrock.configure({ outputTokens: 120_000, tokensPerEvent: 1 });
      await expectBilledInFull(async () => {
        const settled = (await accountingOf(stack, account)).rows.length;
        const answer = await unread({ ...aRequest, max_tokens: 128_000 });
        try {
          await until(() => newestCall().outcome === "complete");
          await until(async () => (await accountingOf(stack, account)).rows.length > settled);
          expect(stack.functions.byName("proxy-local").instances.some(({ busy }) => busy)).toBe(true);
          const mark = "event: ";
          let events = 0;
          let last = "";
          for await (const bytes of answer.setEncoding("utf8")) {
            // An event's name may lie in two pieces.
            events += (last.slice(1 - mark.length) + bytes).split(mark).length - 1;
            last = (last + bytes).slice(-1_000);
          }
          expect(last).toContain("message_stop");
          expect(events).toBeGreaterThan(120_000);
        } finally {
          answer.destroy();
        }
      });
    });
  });

  describe("a client that closes its half of the connection", () => {
    test("a client that closes its half of the connection after its request is billed in full", async () => {
      stack.bedrock.configure(paced);
      await expectBilledInFull(async () => {
        const body = JSON.stringify(aRequest);
        const socket = await connected();
        socket.write(head(Buffer.byteLength(body)) + body);
        await until(() => stack.bedrock.requests().length);
        socket.end();
        for await (const _ of socket);
      });
    });
  });

  function connected(): Promise<Socket> {
    return new Promise((resolve) => {
      const socket = net.connect({ port: Number(new URL(stack.edge).port), host: "127.0.0.1", allowHalfOpen: true });
      socket.once("connect", () => resolve(socket));
    });
  }

  function head(bytes: number): string {
    const lines = ["content-type: application/json", `x-api-key: ${account.key}`, `content-length: ${bytes}`];
    return [`POST ${path} HTTP/1.1`, "host: acme.proxy.localhost", ...lines, "", ""].join("\r\n");
  }

  /** An answer of which nothing is read yet. */
  function unread(body: object): Promise<IncomingMessage> {
    const headers = { "content-type": "application/json", "x-api-key": account.key };
    return new Promise((resolve, reject) => {
      const request = http.request(`${stack.at("acme.proxy")}${path}`, { method: "POST", headers }, resolve);
      request.once("error", reject).end(JSON.stringify(body));
    });
  }

  test("a client that stays has its whole answer before the call is settled", async () => {
    const delayed = { service: "dynamodb", operation: "PutItem", match: "LEDGER#", when: "before" } as const;
    stack.faults.put([{ ...delayed, kind: "delay", milliseconds: 1_000 }]);
    await (await ask(stack, {}, { key: account.key })).text();
    expect(stack.functions.byName("proxy-local").instances.some(({ busy }) => busy)).toBe(true);
  });
});
