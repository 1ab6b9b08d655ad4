// A person signs in: in a browser that comes back to this machine, or in one elsewhere whose last address is pasted here.
import { createInterface } from "node:readline";
import { Failure, oneLine } from "../command-line/failure.ts";
import { hasDisplay, openBrowser } from "../command-line/machine/browser.ts";
import type { Machine } from "../command-line/machine/machine.ts";
import { Loopback, loopbackUris, sameText } from "./loopback.ts";
import type { App } from "./platform/discovery.ts";
import { type Authorization, authorizationRequest, isToRepeat, type Tokens, tokensForCode } from "./platform/oauth.ts";

/** A person has this long, e.g. to find the mail with the code. */
const patienceMs = 5 * 60_000;
const attempts = 3;

export type Way = {
  browser: boolean;
  port?: number | undefined;
  /** Whether the person signs in although the browser knows them. */
  asksAgain?: boolean;
  /** Leads the person to an address, in place of opening their browser there. */
  open?: (url: string, machine: Machine) => Promise<void>;
  /** Which of the client's scopes are asked for; all of them unless given. */
  scopes?: (scope: string) => boolean;
};

/** @throws Failure. */
export function signIn(
  machine: Machine,
  app: App,
  { browser, port, asksAgain, open = openBrowser, scopes = () => true }: Way,
): Promise<Tokens> {
  const asked = { ...app, client: { ...app.client, scopes: app.client.scopes.filter(scopes) } };
  const uris = loopbackUris(app.client.redirect_uris, port);
  const request = (uri: string) => authorizationRequest(asked, uri, asksAgain);
  return browser ? inBrowser(machine, app, uris, request, open) : byPaste(machine, app, uris, request);
}

/** @throws Failure signInNeeded with the way out, if no window can be opened here. */
export function requireDisplay(machine: Machine): void {
  if (hasDisplay(machine)) return;
  throw new Failure(
    "signInNeeded",
    `there is no display to open a browser on: ${machine.program.name} login --no-browser`,
  );
}

type Request = (redirectUri: string) => Promise<Authorization>;

async function inBrowser(
  machine: Machine,
  app: App,
  uris: URL[],
  request: Request,
  open: NonNullable<Way["open"]>,
): Promise<Tokens> {
  const loopback = await Loopback.open(uris, machine.program.name);
  const patience = AbortSignal.timeout(patienceMs);
  try {
    let authorization = await request(loopback.uri.href);
    const answered = loopback.answer(authorization.state, patience);
    const { host } = new URL(app.auth_url);
    machine.say(
      `${machine.program.name}: sign in at ${host} in the browser that opens now, or at ${authorization.url}`,
    );
    const opened = open(authorization.url, machine);
    let answer = await Promise.race([answered, opened.then(() => answered)]);
    if (isToRepeat(answer.query)) {
      authorization = await request(loopback.uri.href);
      const again = loopback.answer(authorization.state, patience);
      answer.lead(authorization.url);
      answer = await again;
    }
    const { query, show } = answer;
    try {
      const tokens = await tokensForCode(app, authorization, query);
      show(oneLine(`You are signed in at ${host}${asWhom(tokens)}. You can close this window.`));
      return tokens;
    } catch (error) {
      show(oneLine(`${capitalized((error as Error).message)}. You can close this window.`), 400);
      throw error;
    }
  } catch (error) {
    if (patience.aborted)
      throw new Failure("signInNeeded", `nobody signed in within five minutes: run ${machine.program.name} login`);
    throw error;
  } finally {
    loopback.close();
  }
}

async function byPaste(machine: Machine, app: App, [uri]: URL[], request: Request): Promise<Tokens> {
  const authorization = await request(uri?.href ?? "");
  machine.say(`Open this address in any browser and sign in:\n\n${authorization.url}\n`);
  machine.say(`It ends at ${uri?.origin}, which that browser cannot open. Paste the whole address here:`);
  const lines = createInterface({ input: machine.stdin, terminal: false });
  try {
    let left = attempts;
    for await (const line of lines) {
      const query = pastedQuery(line);
      if (query && sameText(query.get("state") ?? "", authorization.state)) {
        if (isToRepeat(query)) throw new Failure("signInNeeded", "your account is connected now: sign in once more");
        return await tokensForCode(app, authorization, query);
      }
      if (!line.trim()) continue;
      left -= 1;
      if (left === 0) break;
      machine.say(
        query ? "That is of another sign-in. Paste the last address:" : "That is no such address. Once more:",
      );
    }
    throw new Failure("signInNeeded", `nobody signed in: run ${machine.program.name} login --no-browser again`);
  } finally {
    lines.close();
  }
}

function asWhom({ email }: Tokens): string {
  return email === undefined ? "" : ` as ${email}`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Reads the state and the code or the error of an address, which may stand in quotes. */
export function pastedQuery(line: string): URLSearchParams | undefined {
  const text = oneLine(line.slice(0, 8_192)).length > 0 ? line.trim().replace(/^["'`<]+|["'`>]+$/g, "") : "";
  if (!URL.canParse(text)) return undefined;
  const query = new URL(text).searchParams;
  return query.has("state") && (query.has("code") || query.has("error")) ? query : undefined;
}
