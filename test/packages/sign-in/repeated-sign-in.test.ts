// A sign-in at an external provider that is tied to an account that there was: the provider's first answer is an error.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { Machine } from "../../../packages/command-line/machine/machine.ts";
import { appOf, type Discovery } from "../../../packages/sign-in/platform/discovery.ts";
import { signIn } from "../../../packages/sign-in/sign-in.ts";
import { archway } from "../../../packages/token-helper/program.ts";
import { freePorts } from "../../support/free-ports.ts";

const linked = "Already found an entry for username google_123";
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

let server: Server;
let url: string;
let discovery: Discovery;
/** What the sign-in page answers, one after the other. */
let errors: string[];
let asked: URLSearchParams[];

beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", url);
    if (pathname === "/oauth2/token") {
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss: discovery.issuer, aud: "helper", sub: "ann", iat: now, exp: now + 3600 };
      const id_token = `${encoded({ alg: "RS256" })}.${encoded({ ...claims, nonce: asked.at(-1)?.get("nonce") })}.c2ln`;
      const tokens = { access_token: "a.b.c", id_token, refresh_token: "r", expires_in: 3600, token_type: "Bearer" };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(tokens));
      return;
    }
    asked.push(searchParams);
    const error = errors.shift();
    const said = error === undefined ? { code: "c" } : { error: "invalid_request", error_description: error };
    const query = new URLSearchParams({ state: searchParams.get("state") ?? "", ...(said as Record<string, string>) });
    response.writeHead(302, { location: `${searchParams.get("redirect_uri")}?${query}` }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const redirect_uris = (await freePorts(3)).map((port) => `http://127.0.0.1:${port}/callback`);
  const client = { client_id: "helper", redirect_uris, scopes: ["openid"] };
  discovery = { issuer: "https://issuer.example", auth_url: url, clients: { token_helper: client } } as Discovery;
});
afterAll(() => {
  server.close();
});
beforeEach(() => {
  asked = [];
});

const said: string[] = [];
const machine: Machine = {
  program: archway,
  // A browser that follows what it is told.
  env: { BROWSER: `${process.execPath} -e fetch(process.argv[1])` },
  platform: "linux",
  home: "/nowhere",
  cwd: "/nowhere",
  systemRoot: "/nowhere",
  hostname: "test",
  now: Date.now,
  stdin: Readable.from([]),
  out: () => {},
  say: (line) => void said.push(line),
};

test("a browser whose sign-in failed once is sent to the sign-in again, and no error is shown", async () => {
  errors = [linked];
  expect(await signIn(machine, appOf(discovery, "token_helper"), { browser: true })).toMatchObject({
    accessToken: "a.b.c",
  });
  expect(asked).toHaveLength(2);
  for (const name of ["state", "nonce", "code_challenge"]) {
    expect(new Set(asked.map((query) => query.get(name))).size).toBe(2);
  }
});

test("a sign-in that fails twice, or that the platform refuses, is a failure with the platform's message", async () => {
  errors = [linked, linked];
  await expect(signIn(machine, appOf(discovery, "token_helper"), { browser: true })).rejects.toThrow(linked);
  errors = ["PreSignUp failed with error Google has not confirmed that this e-mail address is yours."];
  await expect(signIn(machine, appOf(discovery, "token_helper"), { browser: true })).rejects.toThrow(
    /^the sign-in failed: Google has not confirmed that this e-mail address is yours\.$/,
  );
});

test("without a browser the person is asked to sign in a second time", async () => {
  const pasted = new Readable({ read() {} });
  const pasting: Machine = {
    ...machine,
    stdin: pasted,
    say: (line) => {
      const state = /state=([^&\n]+)/.exec(line)?.[1];
      const error = new URLSearchParams({ error: "invalid_request", error_description: linked, state: state ?? "" });
      if (state) pasted.push(`http://127.0.0.1/callback?${error}\n`);
    },
  };
  await expect(signIn(pasting, appOf(discovery, "token_helper"), { browser: false })).rejects.toThrow(
    "your account is connected now: sign in once more",
  );
});
