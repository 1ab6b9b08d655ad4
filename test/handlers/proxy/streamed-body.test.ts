import { once } from "node:events";
import { describe, expect, test } from "@jest/globals";
import { StreamedBody } from "../../../handlers/proxy/streamed-body.ts";
import { settle } from "../../support/fake-time.ts";

/** A producer that waits at each gate. */
async function* gated(count: number, gates: Promise<void>[], produced: number[]): AsyncGenerator<Buffer> {
  for (let index = 0; index < count; index++) {
    await gates[index];
    produced.push(index);
    yield Buffer.from(`${index};`);
  }
}

function open(count: number, gates: Promise<void>[] = []) {
  const produced: number[] = [];
  const settled: boolean[] = [];
  const body = new StreamedBody(() => gated(count, gates, produced));
  void body.ended.then(({ clientLeft }) => settled.push(clientLeft));
  return { body, produced, settled };
}

async function read(body: StreamedBody): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

test("gives everything, then ends once", async () => {
  const { body, settled } = open(3);
  expect(await read(body)).toBe("0;1;2;");
  await body.ended;
  expect(settled).toEqual([false]);
});

test("gives each piece as it is produced", async () => {
  const gate = Promise.withResolvers<void>();
  const { body } = open(2, [Promise.resolve(), gate.promise]);
  body.on("data", () => {});
  const [first] = await once(body, "data");
  expect(String(first)).toBe("0;");
  gate.resolve();
  const [second] = await once(body, "data");
  expect(String(second)).toBe("1;");
});

describe("a reader", () => {
  test("who goes away does not stop the production, nor the settlement", async () => {
    const gate = Promise.withResolvers<void>();
    const { body, produced, settled } = open(5, [Promise.resolve(), gate.promise]);
    body.once("data", () => body.destroy());
    await once(body, "close");
    expect(settled).toEqual([]);
    gate.resolve();
    await body.ended;
    expect(produced).toEqual([0, 1, 2, 3, 4]);
    expect(settled).toEqual([true]);
  });

  test("who reads nothing delays neither", async () => {
    const wide = Buffer.alloc(1024 * 1024);
    const settled: boolean[] = [];
    async function* produce() {
      for (let count = 0; count < 5; count++) yield wide;
    }
    const body = new StreamedBody(produce);
    void body.ended.then(({ clientLeft }) => settled.push(clientLeft));
    await body.ended;
    expect(settled).toEqual([false]);
    expect((await read(body)).length).toBe(5 * wide.length);
  });

  test("who was there to the end has not left", async () => {
    const { body, settled } = open(1);
    await read(body);
    body.destroy();
    await body.ended;
    expect(settled).toEqual([false]);
  });
});

describe("a cut", () => {
  test("ends the body with its last bytes, while the production goes on for the settlement", async () => {
    const gate = Promise.withResolvers<void>();
    const { body, produced, settled } = open(3, [Promise.resolve(), gate.promise]);
    await settle();
    body.endWith(Buffer.from("the end"));
    body.endWith(Buffer.from("again"));
    expect(await read(body)).toBe("0;the end");
    expect(settled).toEqual([]);
    gate.resolve();
    await body.ended;
    expect(produced).toEqual([0, 1, 2]);
    expect(settled).toEqual([true]);
  });

  test("from within the production counts as well, even before the first byte", async () => {
    async function* produce(body: StreamedBody) {
      body.endWith(Buffer.from("cut"));
      yield Buffer.from("lost");
    }
    const body = new StreamedBody(produce);
    expect(await read(body)).toBe("cut");
    await body.ended;
  });

  test("after the reader has gone does nothing", async () => {
    const gate = Promise.withResolvers<void>();
    const { body } = open(2, [gate.promise]);
    body.destroy();
    body.endWith(Buffer.from("cut"));
    gate.resolve();
    await body.ended;
  });
});

test("a production that throws is settled, and breaks the body off", async () => {
  const settled: boolean[] = [];
  // biome-ignore lint/correctness/useYield: it fails before its first byte
  async function* produce(): AsyncGenerator<Buffer> {
    throw new Error("broken");
  }
  const body = new StreamedBody(produce);
  void body.ended.then(({ clientLeft }) => settled.push(clientLeft));
  await expect(read(body)).rejects.toThrow("broken");
  await body.ended;
  expect(settled).toHaveLength(1);
});
