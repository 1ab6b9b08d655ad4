import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Clock } from "../../clock.ts";
import type { FunctionSettings } from "../../lambda/instance.ts";
import { LocalFunction } from "../../lambda/local-function.ts";

let bundleFolder: string;
let functions: LocalFunction[];
let lines: string[];
/** Resolves when so many lines of the function's log hold this. */
let loggedTimes: (part: string, times: number) => Promise<void>;
const logged = (part: string) => loggedTimes(part, 1);
beforeEach(() => {
  bundleFolder = mkdtempSync(join(tmpdir(), "archway-pool-"));
  [functions, lines] = [[], []];
});
afterEach(async () => {
  await Promise.all(functions.map((fn) => fn.stop()));
  rmSync(bundleFolder, { recursive: true, force: true });
});

/** @param bundle the module's text. */
function aFunction(bundle: string, settings: Partial<FunctionSettings> = {}): LocalFunction {
  const waiting = new Set<() => void>();
  loggedTimes = (part, times) =>
    new Promise((resolve) => {
      const check = () => {
        if (lines.filter((line) => line.includes(part)).length < times) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  const fn = new LocalFunction(
    {
      name: "probe",
      arn: "arn:aws:lambda:eu-central-1:000000000000:function:probe",
      archive: { "index.mjs": bundle },
      environment: { TABLE_NAME: "main" },
      timeoutSeconds: 30,
      memoryMb: 128,
      logGroup: "/aws/lambda/probe",
      ...settings,
    },
    {
      clock: new Clock().shared,
      hosts: [],
      edgePort: () => 0,
      instanceEnvironment: (name, instance) => ({ AWS_ACCESS_KEY_ID: `${name} ${instance}` }),
      bundleFolder,
      log: (name, line) => {
        expect(name).toBe("probe");
        lines.push(line);
        for (const check of [...waiting]) check();
      },
    },
  );
  functions.push(fn);
  return fn;
}

/** Calls that are held until the function is killed; gives the errors that they end with. */
const hang = (fn: LocalFunction, count: number): Promise<string[]> =>
  Promise.all(
    Array.from({ length: count }, () =>
      fn.invoke({ hang: true }).then(
        () => "answered",
        ({ errorType }) => errorType,
      ),
    ),
  );

const handler = (body: string) => `export const handler = async (event, context) => {${body}};`;
const streaming = (body: string) =>
  `export const handler = awslambda.streamifyResponse(async (event, stream, context) => {${body}});`;
/** Answers at once, unless it is told to wait for ever. */
const hanging = handler(`console.log("begun"); if (event.hang) await new Promise(() => {}); return "done";`);

describe("an invocation", () => {
  test("an invocation of a function returns the handler's result, as JSON", async () => {
    const fn = aFunction(handler(`return event.none ? undefined : { event, date: new Date(0), none: undefined };`));
    expect(await fn.invoke({ a: 1 })).toEqual({ event: { a: 1 }, date: "1970-01-01T00:00:00.000Z" });
    expect(await fn.invoke({ none: true })).toBeNull();
  });

  test("an invocation of a function sees the environment of the function and its instance, but not the machine's", async () => {
    const fn = aFunction(handler("return process.env"));
    const environment = await fn.invoke({});
    const [{ id } = { id: "" }] = fn.instances;
    expect(environment).toEqual({
      TABLE_NAME: "main",
      AWS_ACCESS_KEY_ID: `probe ${id}`,
      AWS_LAMBDA_FUNCTION_NAME: "probe",
      AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "128",
      AWS_LAMBDA_LOG_GROUP_NAME: "/aws/lambda/probe",
      AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
      TZ: ":UTC",
    });
  });

  test("a failing invocation of a function says why, logs the error's stack, and keeps the instance", async () => {
    const fn = aFunction(
      `let count = 0; ${handler("if (event.fail) throw new RangeError('too far'); return ++count;")}`,
    );
    expect(await fn.invoke({})).toBe(1);
    await expect(fn.invoke({ fail: true })).rejects.toMatchObject({ errorType: "RangeError", message: "too far" });
    expect(lines.join("\n")).toContain("RangeError: too far\n    at");
    expect(await fn.invoke({})).toBe(2);
  });

  test("an invocation of a function writes what it prints to the function's log, line by line", async () => {
    await aFunction(handler(`console.log("one\\ntwo"); console.error("three"); return null;`)).invoke({});
    await Promise.all(["one", "two", "three"].map(logged));
    expect(lines.toSorted()).toEqual(["one", "three", "two"]);
  });

  test("an invocation of a function that takes too long is ended together with its instance", async () => {
    const fn = aFunction(hanging, { timeoutSeconds: 0.3 });
    await expect(fn.invoke({ hang: true })).rejects.toMatchObject({
      errorType: "Sandbox.Timedout",
      message: expect.stringMatching(/^RequestId: [\w-]+ Error: Task timed out after 0.3/),
    });
    expect(fn.instances).toEqual([]);
  });
});

test("the start of a function's instance has a time limit of its own, apart from the first invocation's", async () => {
  const slow = "await new Promise((resolve) => setTimeout(resolve, 200));";
  const fn = aFunction(`${slow} ${hanging}`, { timeoutSeconds: 0.1 });
  let hasBegun = false;
  const onStart = () => {
    hasBegun = true;
  };
  await expect(fn.invoke({ hang: true }, {}, onStart)).rejects.toThrow("timed out after 0.10");
  expect(hasBegun).toBe(true);
});

test("the caller is notified when a function's instance has received its event", async () => {
  const fn = aFunction(hanging);
  const seen: unknown[] = [];
  await fn.invoke({}, {}, () => seen.push(fn.instances));
  expect(seen).toMatchObject([[{ busy: true }]]);
});

describe("the instances", () => {
  test("an instance handles one invocation at a time, and is used again", async () => {
    const fn = aFunction(`let count = 0; ${handler("return ++count")}`);
    expect(await fn.invoke({})).toBe(1);
    expect(await fn.invoke({})).toBe(2);
    expect(fn.instances).toHaveLength(1);
  });

  test("a function has as many instances as calls at the same time", async () => {
    const fn = aFunction(hanging);
    const calls = hang(fn, 5);
    await loggedTimes("begun", 5);
    expect(fn.instances.map(({ busy }) => busy)).toEqual([true, true, true, true, true]);
    expect(fn.inFlight).toBe(5);
    await fn.kill();
    await calls;
  });

  test("a waiting call takes an instance that becomes free before a new instance has started", async () => {
    const fn = aFunction(`let count = 0; ${handler("return ++count")}`);
    await fn.invoke({});
    const counts = await Promise.all(Array.from({ length: 10 }, () => fn.invoke({})));
    expect(counts).toEqual(Array.from({ length: 10 }, (_, index) => index + 2));
    expect(fn.instances).toHaveLength(1);
  });

  test("at most as many instances start at once as there are cores", async () => {
    const fn = aFunction(hanging);
    const calls = hang(fn, 100);
    expect(fn.instances).toHaveLength(Math.min(availableParallelism(), 100));
    await fn.kill();
    await calls;
  });

  test("a function handles at most 256 calls at the same time; the next one is throttled", async () => {
    const fn = aFunction(hanging);
    const calls = hang(fn, 256);
    await expect(fn.invoke({})).rejects.toMatchObject({ errorType: "TooManyRequestsException" });
    await fn.kill();
    expect(await calls).toEqual(Array.from({ length: 256 }, () => "Runtime.ExitError"));
  });

  test("a function's instances are known by id, and whether they are working", async () => {
    const fn = aFunction(hanging);
    await fn.invoke({});
    const [{ id } = { id: "" }] = fn.instances;
    expect([fn.has(id), fn.has("another"), fn.isActive(id), fn.isActive("another")]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    const invocation = fn.invoke({ hang: true }).catch(() => {});
    expect([fn.isActive(id), fn.instances]).toEqual([true, [{ id, busy: true }]]);
    await fn.kill();
    await invocation;
    expect(fn.has(id)).toBe(false);
  });

  test("killing a function's instance makes its invocation fail, and the next invocation starts a new instance", async () => {
    const fn = aFunction(hanging);
    const invocation = fn.invoke({ hang: true });
    await logged("begun");
    await Promise.all([fn.kill(), expect(invocation).rejects.toMatchObject({ errorType: "Runtime.ExitError" })]);
    expect(await fn.invoke({})).toBe("done");
  });

  test("stopping a function ends its instances, and no new ones start", async () => {
    const fn = aFunction(hanging);
    await fn.invoke({});
    await fn.stop();
    expect(fn.instances).toEqual([]);
    await expect(fn.invoke({})).rejects.toMatchObject({ errorType: "ServiceException" });
  });

  test.each<[string, string, { errorType?: RegExp; message?: RegExp }]>([
    [
      "a bundle that cannot be loaded",
      "throw new Error('no such table');",
      { errorType: /^Runtime.ImportModuleError$/, message: /no such table/ },
    ],
    [
      "a bundle that is no module",
      "export const handler = (",
      { errorType: /^Runtime.ImportModuleError$/, message: /Unexpected end/ },
    ],
    ["a handler that ends the process", handler("process.exit(1)"), { errorType: /^Runtime.ExitError$/ }],
    [
      "an error that nobody catches",
      handler("setImmediate(() => { throw new Error('lost') }); await new Promise(() => {})"),
      { errorType: /^Runtime.UnhandledError$/, message: /lost/ },
    ],
  ])("do not survive %s", async (_, bundle, { errorType = /^Runtime/, message = /^RequestId: / }) => {
    const fn = aFunction(bundle);
    await expect(fn.invoke({})).rejects.toMatchObject({
      errorType: expect.stringMatching(errorType),
      message: expect.stringMatching(message),
    });
    expect(fn.instances).toEqual([]);
  });
});

describe("a streamed answer", () => {
  test("a function's streamed answer begins with the handler's status and headers, and continues as it is written", async () => {
    const fn = aFunction(
      streaming(`
        const prelude = { statusCode: 201, headers: { a: "b" }, cookies: ["c=d"] };
        const body = awslambda.HttpResponseStream.from(stream, prelude);
        body.write("one ");
        body.end("two");`),
    );
    const { prelude, body } = await fn.stream({});
    expect(prelude).toEqual({ statusCode: 201, headers: { a: "b" }, cookies: ["c=d"] });
    expect(await text(body)).toBe("one two");
    expect(await fn.invoke({})).toBe("one two");
  });

  test("a function's streamed answer is written to its end when its reader leaves after it was slow", async () => {
    const fn = aFunction(
      streaming(`
        for (let chunk = 0; chunk < 64; chunk++) {
          if (stream.write(Buffer.alloc(65536))) continue;
          const waits = setTimeout(() => console.log("waits"), 100);
          await new Promise((done) => stream.once("drain", done));
          clearTimeout(waits);
        }
        stream.end();
        console.log("written");`),
    );
    const { body } = await fn.stream({});
    await logged("waits");
    body.destroy();
    await logged("written");
  });

  test("a function's streamed answer arrives while the function still writes", async () => {
    const fn = aFunction(streaming(`stream.write("one"); await new Promise(() => {});`));
    const { prelude, body } = await fn.stream({});
    body.once("error", () => {});
    expect(prelude).toEqual({});
    for await (const chunk of body) {
      expect(String(chunk)).toBe("one");
      expect(fn.instances).toMatchObject([{ busy: true }]);
      break;
    }
  });

  test("a function's streamed answer is complete when the handler has ended it, even while the function still runs", async () => {
    const fn = aFunction(streaming(`stream.end("all"); await new Promise(() => {});`));
    const { body } = await fn.stream({});
    expect(await text(body)).toBe("all");
    expect(fn.instances).toMatchObject([{ busy: true }]);
  });

  test("a function's streamed answer may be empty", async () => {
    expect(await text((await aFunction(streaming("stream.end();")).stream({})).body)).toBe("");
  });

  test("a function's streamed answer makes the function wait for a slow reader, and arrives complete", async () => {
    const fn = aFunction(
      streaming(`
        for (let chunk = 0; chunk < 64; chunk++) {
          if (stream.write(Buffer.alloc(65536, chunk))) continue;
          const waits = setTimeout(() => console.log("waits"), 100);
          await new Promise((done) => stream.once("drain", done));
          clearTimeout(waits);
        }
        stream.end();`),
    );
    const { body } = await fn.stream({});
    await logged("waits");
    const written = Buffer.concat(Array.from({ length: 64 }, (_, chunk) => Buffer.alloc(65_536, chunk)));
    expect(written.equals(await buffer(body))).toBe(true);
  });

  test("the answer of a handler that does not stream is its result", async () => {
    const { prelude, body } = await aFunction(handler("return { a: 1 }")).stream({});
    expect([prelude.headers, await text(body)]).toEqual([{ "content-type": "application/json" }, '{"a":1}']);
  });

  test("a streamed answer that fails before its body begins is an error of the function", async () => {
    const fn = aFunction(streaming("throw new TypeError('no body')"));
    await expect(fn.stream({})).rejects.toMatchObject({ errorType: "TypeError", message: "no body" });
  });

  test("a streamed answer that fails in the middle breaks off the body", async () => {
    const fn = aFunction(streaming(`stream.write("one"); await 0; throw new TypeError("cut")`));
    const { body } = await fn.stream({});
    await expect(text(body)).rejects.toMatchObject({ errorType: "TypeError" });
  });

  test("a streamed answer that the handler does not end is an error, as in Lambda", async () => {
    const fn = aFunction(streaming(`stream.write("one");`));
    const { body } = await fn.stream({});
    await expect(text(body)).rejects.toThrow("Response stream is not finished.");
  });

  test("a streamed answer whose connection breaks ends with an error in the handler; the instance can handle the next call", async () => {
    const fn = aFunction(
      streaming(`
        stream.write("one");
        const error = await new Promise((done) => stream.once("error", done));
        await new Promise((done) => setImmediate(done));
        console.log("saw " + error.code);`),
    );
    const { body } = await fn.stream({});
    body.destroy();
    const [instance] = fn.instances;
    fn.breakStreams();
    await logged("saw ECONNRESET");
    (await fn.stream({})).body.destroy();
    expect(fn.instances).toContainEqual({ id: instance?.id, busy: true });
  });

  test("a function's streamed answer whose reader leaves is written to its end", async () => {
    const fn = aFunction(
      streaming(`
        for (let chunk = 0; chunk < 64; chunk++)
          if (!stream.write(Buffer.alloc(65536))) await new Promise((done) => stream.once("drain", done));
        stream.end();
        console.log("written");`),
    );
    (await fn.stream({})).body.destroy();
    await logged("written");
  });
});
