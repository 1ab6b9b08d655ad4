// A running Cognito for tests: its declarations, its trigger, its mails, and a browser that reads its forms.
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AwsError, type AwsRequest } from "../../aws/service.ts";
import { Clock } from "../../clock.ts";
import { Cognito } from "../../cognito/cognito.ts";
import type { PoolOptions } from "../../cognito/pool.ts";
import type { TriggerEvent } from "../../cognito/triggers.ts";
import type { Mail } from "../../mailbox.ts";
import { Store } from "../../store.ts";
import {
  callback,
  declaredPool,
  declaredServer,
  google,
  password,
  poolId,
  publicClient,
  region,
  secretClient,
} from "./declarations.ts";

const keys = new Store(":memory:").collection<unknown>("cognito/key");

/** Gives all tests of a file one pair of keys, since making them takes longer than most tests. */
function shareKeys(store: Store): void {
  const own = store.collection<unknown>("cognito/key");
  for (const use of ["id", "access"]) {
    const known = keys.get(use);
    if (known) own.put(use, known);
  }
}

/** A test's trigger. It may change the event's response in place. */
export type Trigger = (event: TriggerEvent) => unknown;

export type StackOptions = Partial<PoolOptions> & { trigger?: Trigger; prefix?: string; host?: string };

export async function start(options: StackOptions = {}) {
  const { trigger, prefix = "", host, ...poolOptions } = options;
  const clock = new Clock();
  const store = poolOptions.store ?? new Store(":memory:");
  shareKeys(store);
  const mails: Mail[] = [];
  const events: TriggerEvent[] = [];
  const provider = new Cognito({
    store,
    clock,
    region,
    pool: declaredPool,
    domain: "auth.localhost",
    clients: [publicClient, secretClient],
    resourceServers: [declaredServer],
    identityProviders: [google],
    invokeTrigger: async (_arn, event, onStart) => {
      events.push(structuredClone(event));
      onStart(1);
      await trigger?.(event);
      return event;
    },
    sendMail: (mail) => void mails.push(mail),
    ...poolOptions,
  });
  const server = createServer((request, response) => {
    // Only the edge knows the prefix, and takes it away.
    if (prefix && request.url?.startsWith(`${prefix}/`)) request.url = request.url.slice(prefix.length);
    void provider.handleHttp(request, response, `http://${host ?? request.headers.host}${prefix}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`;
  await fetch(`${baseUrl}/${poolId}/.well-known/jwks.json`);
  for (const use of ["id", "access"]) keys.put(use, store.collection<unknown>("cognito/key").get(use));

  const stack = {
    provider,
    clock,
    store,
    baseUrl,
    mails,
    events,
    call: (operation: string, input: object) => call(provider, operation, input),
    /** Creates someone with `password`, confirmed. */
    async addUser(email: string): Promise<{ username: string; sub: string }> {
      const attributes = [{ Name: "email_verified", Value: "true" }];
      const { User } = await stack.call("AdminCreateUser", {
        UserPoolId: poolId,
        Username: email,
        UserAttributes: attributes,
        MessageAction: "SUPPRESS",
      });
      const Username: string = User.Username;
      await stack.call("AdminSetUserPassword", {
        UserPoolId: poolId,
        Username,
        Password: password,
        Permanent: true,
      });
      events.length = 0;
      return { username: Username, sub: Username };
    },
    /** Signs up on the page, and shows what follows. */
    async signUp(email: string): Promise<{ browser: Browser; page: Visit }> {
      const browser = new Browser(stack);
      const form = await browser.open(authorizeUrl(stack).replace("/oauth2/authorize", "/signup"));
      return { browser, page: await browser.submit(form, { username: email, password }) };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return stack;
}

export type Stack = Awaited<ReturnType<typeof start>>;

export function awsRequest(operation: string, input: unknown): AwsRequest {
  return {
    method: "POST",
    path: "/",
    query: new URLSearchParams(),
    headers: { "x-amz-target": `AWSCognitoIdentityProviderService.${operation}` },
    body: Buffer.from(typeof input === "string" ? input : JSON.stringify(input)),
    region,
    principal: undefined,
  };
}

/** Calls the service by JSON, as the AWS endpoint does. It rejects with the AwsError. */
// biome-ignore lint/suspicious/noExplicitAny: answers are as different as operations.
export async function call(provider: Cognito, operation: string, input: object): Promise<any> {
  const request = awsRequest(operation, input);
  const { body } = await provider.handle(provider.operation(request), request);
  return body === "" ? undefined : JSON.parse(String(body));
}

/** The error that a call ends with. */
export async function refusal(promise: Promise<unknown>): Promise<AwsError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof AwsError) return error;
  throw new Error(`expected an AwsError, got ${error}`);
}

export function pkce() {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** The address where a client sends the browser. `undefined` leaves a parameter out. */
export function authorizeUrl({ baseUrl }: Stack, changes: Record<string, string | undefined> = {}): string {
  const parameters = {
    response_type: "code",
    client_id: "public",
    redirect_uri: callback,
    scope: "openid email platform/proxy:invoke",
    state: "the state",
    ...changes,
  };
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${baseUrl}/oauth2/authorize?${new URLSearchParams(given)}`;
}

export type PageForm = { action: string; fields: Record<string, string> };

export type Visit = {
  status: number;
  url: string;
  html: string;
  headers: Headers;
  /** Set instead of a page when the last redirect leads to a client. */
  leftFor?: URL;
};

/** Follows redirects within the sign-in host and stops at the first one that leaves it. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #host: string;

  constructor({ baseUrl }: Stack) {
    this.#host = new URL(baseUrl).host;
  }

  async open(url: string, init: RequestInit = {}): Promise<Visit> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { ...init, redirect: "manual", headers: { ...init.headers, cookie } });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const html = await response.text();
    const visit = { status: response.status, url, html, headers: response.headers };
    const location = response.headers.get("location");
    if (!location) return visit;
    const target = new URL(location, url);
    return target.host === this.#host ? this.open(target.href) : { ...visit, leftFor: target };
  }

  #keep(line: string): void {
    const [pair = "", ...attributes] = line.split("; ");
    const [name = "", value = ""] = pair.split("=");
    if (attributes.includes("Max-Age=0")) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }

  /** Sends the page's form with the fields that a person filled in. */
  submit(visit: Visit, filled: Record<string, string>): Promise<Visit> {
    const { action, fields } = formOf(visit.html);
    const body = new URLSearchParams({ ...fields, ...filled });
    return this.open(new URL(action, visit.url).href, { method: "POST", body });
  }

  async signIn(url: string, email: string, secret = password): Promise<Visit> {
    return this.submit(await this.open(url), { username: email, password: secret });
  }
}

const entities: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };

export function unescapeHtml(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);
}

export function formOf(html: string): PageForm {
  const action = /<form method="post" action="([^"]*)">/.exec(html)?.[1];
  if (action === undefined) throw new Error(`no form in ${html}`);
  const inputs = [...html.matchAll(/<input [^>]*>/g)].map(([input]) => ({
    name: / name="([^"]*)"/.exec(input)?.[1] ?? "",
    value: / value="([^"]*)"/.exec(input)?.[1] ?? "",
    checkbox: input.includes('type="checkbox"'),
  }));
  const sent = inputs.filter(({ checkbox }) => !checkbox);
  const fields = Object.fromEntries(sent.map(({ name, value }) => [name, unescapeHtml(value)]));
  return { action: unescapeHtml(action), fields };
}

/** The address of the page's link with this text. */
export function linkOf({ html, url }: Visit, text: string): string {
  const href = [...html.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g)].find((match) => match[2] === text)?.[1];
  if (href === undefined) throw new Error(`no link ${text} in ${html}`);
  return new URL(unescapeHtml(href), url).href;
}

export type TokenAnswer = {
  status: number;
  error?: string;
  error_description?: string;
  access_token: string;
  id_token: string;
  refresh_token: string;
  expires_in: number;
  token_type: string;
};

export async function postToken(
  { baseUrl }: Stack,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<TokenAnswer> {
  const response = await fetch(`${baseUrl}/oauth2/token`, {
    method: "POST",
    body: new URLSearchParams(form),
    headers,
  });
  return { status: response.status, ...((await response.json()) as Omit<TokenAnswer, "status">) };
}

/** The whole flow of a public client with PKCE. */
export async function signInWithPkce(
  stack: Stack,
  email: string,
  changes: Record<string, string | undefined> = {},
): Promise<TokenAnswer> {
  const { verifier, challenge } = pkce();
  const url = authorizeUrl(stack, { code_challenge: challenge, code_challenge_method: "S256", ...changes });
  const { leftFor } = await new Browser(stack).signIn(url, email);
  const code = leftFor?.searchParams.get("code");
  if (!code) throw new Error(`no code in ${leftFor}`);
  return postToken(stack, {
    grant_type: "authorization_code",
    client_id: changes.client_id ?? "public",
    redirect_uri: changes.redirect_uri ?? callback,
    code,
    code_verifier: verifier,
  });
}

/** The endpoint's answer about the person behind the token. */
export async function userInfo({ baseUrl }: Stack, token: string, path = "/oauth2/userInfo") {
  const response = await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, challenge: response.headers.get("www-authenticate"), body: await response.json() };
}

/** The six digits of the last mail. */
export function mailedCode({ mails }: Stack): string {
  return /\d{6}/.exec(mails.at(-1)?.text ?? "")?.[0] ?? "";
}
