// The skills server as assistants have it: its one file, started as a program in a home of its own, with an SDK's client at the other end.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CallToolResult, Client, type ClientCapabilities, type ElicitRequest } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Person } from "../../../local/running-stack.ts";
import { bundle } from "../../../packages/skills-mcp/build.ts";
import { freePorts } from "../free-ports.ts";
import { compiledOnce } from "../runner/run-folder.ts";

const browser = fileURLToPath(new URL("../sign-in/browser.ts", import.meta.url));

export type Era = "2025-11-25" | "2026-07-28";
export type Finished = { code: number | null; out: string; err: string };

/** A stack's configuration: the skills client comes back at ports that nobody else on this machine uses. */
export async function freeSkillsCallbacks(): Promise<Record<string, string>> {
  const uris = (await freePorts(3)).map((port) => `http://localhost:${port}/callback`);
  return { "archway:skillsCallbackUrls": JSON.stringify(uris) };
}

type Connection = {
  era?: Era;
  args?: string[];
  capabilities?: ClientCapabilities;
  /** What the person does when the client leads them to an address. */
  elicited?: (url: string) => Promise<"accept" | "decline">;
  /** The folders that the client lets be used. */
  roots?: string[];
};

/** A person's seat: a home, a project's folder, and the program. */
export class SkillsSeat {
  readonly home: string;
  readonly project: string;
  readonly #program: string[];
  readonly #url: string;
  readonly #clients: Client[] = [];

  private constructor(program: string[], url: string, home = mkdtempSync(join(tmpdir(), "archway-skills-"))) {
    this.home = home;
    this.project = join(home, "project");
    this.#program = program;
    this.#url = url;
    mkdirSync(this.project, { recursive: true });
  }

  /** @param program its words, in place of a bundle that is made now */
  static async build(url: string, program?: string[]): Promise<() => SkillsSeat> {
    const words = program ?? [
      process.execPath,
      await bundle(join(mkdtempSync(join(tmpdir(), "archway-bundle-")), "archway-skills.cjs")),
    ];
    return () => new SkillsSeat(words, url);
  }

  get environment(): Record<string, string> {
    const { home } = this;
    const own = { HOME: home, PATH: join(home, "bin"), ARCHWAY_HOME: join(home, "archway"), ARCHWAY_STORE: "file" };
    return { ...own, ...compiledOnce };
  }

  /** The same seat with another program. */
  with(words: string[]): SkillsSeat {
    return new SkillsSeat(words, this.#url, this.home);
  }

  /** Writes the files of a folder into the project. */
  write(folder: string, files: Record<string, string | Uint8Array>): string {
    for (const [path, content] of Object.entries(files)) {
      const file = join(this.project, folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
    return join(this.project, folder);
  }

  start(args: string[], env: Record<string, string> = {}): ChildProcess {
    const [file = "", ...rest] = this.#program;
    return spawn(file, [...rest, ...args], { env: { ...this.environment, ...env }, cwd: this.project });
  }

  async run(
    args: string[],
    { env = {}, input = "" }: { env?: Record<string, string>; input?: string } = {},
  ): Promise<Finished> {
    const child = this.start(args, env);
    const texts = { out: "", err: "" };
    child.stdout?.on("data", (chunk) => {
      texts.out += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      texts.err += chunk;
    });
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { code, ...texts };
  }

  async signIn({ email, password }: Person, args: string[] = []): Promise<void> {
    const env = { BROWSER: `${process.execPath} ${browser}`, EMAIL: email, PASSWORD: password };
    const { code, err } = await this.run(["login", "--url", this.#url, ...args], { env });
    if (code !== 0) throw new Error(err);
  }

  async connect({
    era = "2026-07-28",
    args = [],
    capabilities = {},
    elicited,
    roots,
  }: Connection = {}): Promise<Client> {
    const [command = "", ...rest] = this.#program;
    const client = new Client(
      { name: "test", version: "1" },
      {
        capabilities: {
          ...capabilities,
          ...(elicited && { elicitation: { url: {} } }),
          ...(roots && { roots: {} }),
        },
        versionNegotiation: { mode: era === "2025-11-25" ? "legacy" : { pin: era } },
      },
    );
    if (elicited)
      client.setRequestHandler("elicitation/create", async ({ params }: ElicitRequest) => {
        const url = "url" in params ? String(params.url) : "";
        return { action: await elicited(url) };
      });
    if (roots)
      client.setRequestHandler("roots/list", async () => ({
        roots: roots.map((folder) => ({ uri: `file://${folder}` })),
      }));
    const env = { ...this.environment, ARCHWAY_URL: this.#url };
    await client.connect(
      new StdioClientTransport({ command, args: [...rest, "serve", ...args], env, cwd: this.project, stderr: "pipe" }),
    );
    this.#clients.push(client);
    return client;
  }

  async remove(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** The text of a tool's answer. */
export async function callText(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<{ text: string; isError: boolean }> {
  const { content, isError = false } = (await client.callTool({ name, arguments: args })) as CallToolResult;
  return { text: content.map((part) => (part.type === "text" ? part.text : "")).join("\n"), isError };
}

/** What a person's browser does with a page of this machine: it takes the token off the address and asks as the page's script does. */
export class PageVisit {
  readonly origin: string;
  readonly #token: string;
  #key = "";

  constructor(url: string) {
    const { origin, hash } = new URL(url);
    this.origin = origin;
    this.#token = hash.slice(1);
  }

  async post(
    path: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await fetch(this.origin + path, {
      method: "POST",
      headers: { "content-type": "application/json", origin: this.origin, ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  async open(): Promise<Record<string, unknown>> {
    const { status, body } = await this.post("/open", { token: this.#token });
    if (status !== 200) throw new Error(`the page answered ${status}: ${body.error}`);
    this.#key = String(body.key);
    return body.shows as Record<string, unknown>;
  }

  answer(body: object): Promise<{ status: number; body: Record<string, unknown> }> {
    return this.post("/answer", { ...body, key: this.#key });
  }
}
