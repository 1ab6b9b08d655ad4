import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type AwsCall, type SignedService, signedService, TimeoutError } from "../../adapters/aws.ts";

const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret", sessionToken: "session" };
const call = (changes: Partial<AwsCall> = {}): AwsCall => ({
  path: "/model/eu.a%3A0/invoke",
  headers: { "content-type": "application/json" },
  body: '{"é":1}',
  credentials,
  timeoutMs: 5_000,
  ...changes,
});

type Received = { incoming: IncomingMessage; body: string };

let received: Received[];
let answer: (outgoing: ServerResponse, received: Received) => void;
let service: SignedService;
let endpoint: string;
const server = createServer(async (incoming, outgoing) => {
  const seen = { incoming, body: await textOf(incoming) };
  received.push(seen);
  answer(outgoing, seen);
});
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  received = [];
  answer = (outgoing) => outgoing.end("ok");
  service = signedService({ service: "bedrock", hostPrefix: "bedrock-runtime", region: "eu-central-1", endpoint });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const failureOf = (act: Promise<unknown>): Promise<unknown> =>
  act.then(
    () => undefined,
    (error) => error,
  );

/** Answers with the head and these bytes, and leaves the body open. */
const begin = (bytes: string) => (outgoing: ServerResponse) => void outgoing.write(bytes);

describe("a call", () => {
  test("a call to AWS arrives with its path, body and headers, and is signed with the session in its region", async () => {
    await (await service(call())).text();
    const [{ incoming, body } = {} as Received] = received;
    expect([incoming.method, incoming.url, body]).toEqual(["POST", call().path, call().body]);
    expect(incoming.headers).toMatchObject({
      "content-type": "application/json",
      "content-length": "8",
      "x-amz-security-token": "session",
    });
    const scope =
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request, SignedHeaders=/;
    expect(incoming.headers.authorization).toMatch(scope);
  });

  test("a call to AWS with other credentials has another signature", async () => {
    for (const secretAccessKey of ["one", "other"]) {
      await (await service(call({ credentials: { ...credentials, secretAccessKey } }))).text();
    }
    const [one, other] = received.map(({ incoming }) => incoming.headers.authorization?.split("Signature=")[1]);
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(one).not.toBe(other);
  });

  test("a call to AWS reuses an earlier connection, unless the other end has closed it", async () => {
    for (let calls = 0; calls < 10; calls++) await (await service(call())).text();
    const sockets = new Set(received.map(({ incoming }) => incoming.socket));
    // A connection is free a moment after its answer.
    expect(sockets.size).toBeLessThanOrEqual(2);
    const closed = [...sockets].map((socket) => once(socket, "close"));
    server.closeIdleConnections();
    await Promise.all(closed);
    expect(await (await service(call())).text()).toBe("ok");
    expect(received).toHaveLength(11);
  });
});

describe("an answer", () => {
  test("an answer of AWS gives its status and headers before its body has arrived", async () => {
    answer = (outgoing) => void outgoing.writeHead(418, { "x-amzn-errortype": "Teapot" }).flushHeaders();
    const leave = new AbortController();
    const { status, headers } = await service(call({ signal: leave.signal }));
    expect([status, headers["x-amzn-errortype"]]).toEqual([418, "Teapot"]);
    leave.abort();
  });

  test("an answer of AWS that is read as text is complete wherever its chunks were cut", async () => {
    const bytes = Buffer.from("é".repeat(1_000));
    answer = (outgoing) => {
      for (const byte of bytes) outgoing.write(Buffer.of(byte));
      outgoing.end();
    };
    expect(await (await service(call())).text()).toBe("é".repeat(1_000));
    answer = (outgoing) => outgoing.end();
    expect(await (await service(call())).text()).toBe("");
  });

  test("an answer of AWS that is read as bytes comes as it is sent", async () => {
    let send = (_bytes: string) => {};
    answer = (outgoing) => {
      send = (bytes) => void outgoing.write(bytes);
      send("1");
    };
    const seen: string[] = [];
    const leave = new AbortController();
    const failure = await failureOf(
      (async () => {
        for await (const bytes of await service(call({ signal: leave.signal }))) {
          seen.push(bytes.toString());
          if (seen.length === 3) leave.abort();
          else send(String(seen.length + 1));
        }
      })(),
    );
    expect(seen).toEqual(["1", "2", "3"]);
    expect(failure).toMatchObject({ name: "AbortError" });
  });

  test("an answer of AWS that is read late is complete", async () => {
    const given = await service(call());
    await (await service(call())).text();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await given.text()).toBe("ok");
  });

  test("an answer of AWS that is cut off fails, as text and as bytes", async () => {
    answer = (outgoing) => {
      outgoing.writeHead(200, { "content-length": "100" }).write("x");
      setImmediate(() => outgoing.destroy());
    };
    expect(await failureOf(service(call()).then((given) => given.text()))).toBeInstanceOf(Error);
    const reading = async () => {
      for await (const _bytes of await service(call()));
    };
    expect(await failureOf(reading())).toBeInstanceOf(Error);
    expect(received).toHaveLength(2);
  });
});

describe("nothing is waited for in vain:", () => {
  test("an answer of AWS that does not begin in time fails", async () => {
    answer = () => {};
    expect(await failureOf(service(call({ timeoutMs: 50 })))).toBeInstanceOf(TimeoutError);
  });

  test("an answer of AWS whose body stalls fails with a timeout", async () => {
    answer = begin("x");
    const given = await service(call({ timeoutMs: 50 }));
    expect(await failureOf(given.text())).toBeInstanceOf(TimeoutError);
  });

  test("a call to AWS whose signal was aborted is not sent", async () => {
    expect(await failureOf(service(call({ signal: AbortSignal.abort() })))).toMatchObject({
      name: "UnsentError",
      cause: { name: "AbortError" },
    });
    await (await service(call())).text();
    expect(received).toHaveLength(1);
  });

  test("aborting the signal of a call to AWS ends the call at both ends", async () => {
    const leave = new AbortController();
    const left = new Promise((resolve) => {
      answer = (outgoing) => {
        outgoing.once("close", resolve);
        leave.abort();
      };
    });
    expect(await failureOf(service(call({ signal: leave.signal })))).toMatchObject({ name: "AbortError" });
    await left;
  });

  test("a call to AWS at an address without a server fails", async () => {
    const nobody = createServer().listen(0, "127.0.0.1");
    await once(nobody, "listening");
    const { port } = nobody.address() as AddressInfo;
    nobody.close();
    await once(nobody, "close");
    const options = { service: "dynamodb", hostPrefix: "dynamodb", region: "eu-central-1" };
    const unheard = signedService({ ...options, endpoint: `http://127.0.0.1:${port}` });
    expect(await failureOf(unheard(call()))).toMatchObject({
      name: "UnsentError",
      cause: { code: "ECONNREFUSED" },
    });
  });
});
