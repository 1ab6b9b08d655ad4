// The platform's routes of skills, with the token of whoever is signed in.
import { createHash, randomUUID } from "node:crypto";
import pMap from "p-map";
import * as z from "zod";
import { Failure } from "../../command-line/failure.ts";
import { jsonOf, request } from "../../sign-in/platform/http.ts";
import { accessToken, describe, type Session } from "../../sign-in/session.ts";
import {
  type Env,
  type EnvValue,
  envSchema,
  fileSchema,
  type Run,
  runFileSchema,
  runSchema,
  type Secret,
  type Skill,
  type SkillDetail,
  secretSchema,
  skillDetailSchema,
  skillSchema,
  type Version,
  versionSchema,
} from "./shapes.ts";

const waitMs = 60_000;
/** The files of a run have at most 3 MB, a file of a skill 1 MB: in base64 a third more. */
const maxBytes = 6 * 1024 * 1024;

const filesAtOnce = 8;

export type UploadFile = { path: string; content: Uint8Array };
export type RunRequest = {
  version?: number | undefined;
  input?: unknown;
  args?: string[] | undefined;
  files?: { name: string; content: string }[] | undefined;
};
type Sent = { method?: string; body?: unknown; headers?: Record<string, string> };

/** Every method throws Failure with what the platform says. */
export class SkillsApi {
  readonly #session: Session;
  readonly #waits: boolean;

  /** @param asks whether a person may be led to a sign-in at once; a server never waits for one */
  constructor(session: Session, asks = false) {
    this.#session = session;
    this.#waits = asks;
  }

  /** The skills that the caller sees; undefined if nothing has changed since the tag was given. */
  async skills(status?: "active", tag?: string): Promise<{ skills: Skill[]; tag: string | undefined } | undefined> {
    const headers: Record<string, string> = tag === undefined ? {} : { "if-none-match": tag };
    const response = await this.#send(`/skills${status ? `?status=${status}` : ""}`, { headers });
    if (response.status === 304) return undefined;
    const { data } = await this.#read(response, z.object({ data: z.array(skillSchema) }));
    return { skills: data, tag: response.headers.get("etag") ?? undefined };
  }

  async skill(name: string): Promise<SkillDetail> {
    return this.#ask(at("skills", name), skillDetailSchema);
  }

  async version(name: string, version: number): Promise<Version> {
    return this.#ask(at("skills", name, "versions", version), versionSchema);
  }

  /** The content of a file, after it was held against the digest in the version's list. */
  async file(name: string, version: number, { path, digest }: { path: string; digest: string }): Promise<Uint8Array> {
    const steps = path.split("/");
    const { content } = await this.#ask(at("skills", name, "versions", version, "files", ...steps), fileSchema);
    const bytes = Buffer.from(content, "base64");
    if (`sha256:${createHash("sha256").update(bytes).digest("hex")}` === digest) return bytes;
    throw new Failure("unreachable", `${path} of ${name} is not what its version lists: nothing of it is used`);
  }

  /** The contents of several files, by their paths. */
  async files(name: string, version: number, files: Version["files"]): Promise<Map<string, Uint8Array>> {
    const read = async (file: Version["files"][number]) => [file.path, await this.file(name, version, file)] as const;
    return new Map(await pMap(files, read, { concurrency: filesAtOnce }));
  }

  async upload(name: string, files: UploadFile[], change?: string): Promise<Version> {
    const encoded = files.map(({ path, content }) => ({ path, content: Buffer.from(content).toString("base64") }));
    const body = { name, files: encoded, ...(change !== undefined && { change }) };
    return this.#ask("/skills", versionSchema, { method: "POST", body });
  }

  /** @param reviewed the digests of what was shown. A person who was shown no environment has no digest of it: the platform says why they may not */
  async activate(
    name: string,
    version: number,
    { digest, env_digest }: { digest: string; env_digest: string },
  ): Promise<Skill> {
    const body = { version, digest, env_digest };
    return this.#ask(at("skills", name, "activate"), skillSchema, { method: "POST", body });
  }

  async deactivate(name: string): Promise<Skill> {
    return this.#ask(at("skills", name, "deactivate"), skillSchema, { method: "POST", body: {} });
  }

  async env(name: string): Promise<Env> {
    return this.#ask(at("skills", name, "env"), envSchema);
  }

  async setEnv(name: string, env: Record<string, EnvValue>): Promise<Env> {
    return this.#ask(at("skills", name, "env"), envSchema, { method: "PATCH", body: { env } });
  }

  async secrets(): Promise<Secret[]> {
    return (await this.#ask("/secrets", z.object({ data: z.array(secretSchema) }))).data;
  }

  async putSecret(name: string, value: string, description?: string): Promise<void> {
    const body = { value, ...(description !== undefined && { description }) };
    const response = await this.#send(at("secrets", name), { method: "PUT", body });
    if (!response.ok) throw await refusal(response);
  }

  async startRun(name: string, run: RunRequest): Promise<Run> {
    // An answer that is lost, or a token that is replaced, starts nothing twice.
    const headers = { "idempotency-key": randomUUID() };
    return this.#ask(at("skills", name, "runs"), runSchema, { method: "POST", body: run, headers });
  }

  async run(name: string, id: string): Promise<Run> {
    return this.#ask(at("skills", name, "runs", id), runSchema);
  }

  /** A file that a run left, by its number. */
  async runFile(name: string, id: string, n: number): Promise<Uint8Array> {
    const { content } = await this.#ask(at("skills", name, "runs", id, "files", n), runFileSchema);
    return Buffer.from(content, "base64");
  }

  async #ask<T extends z.ZodType>(path: string, schema: T, sent: Sent = {}): Promise<z.output<T>> {
    return this.#read(await this.#send(path, sent), schema);
  }

  async #read<T extends z.ZodType>(response: Response, schema: T): Promise<z.output<T>> {
    if (!response.ok) throw await refusal(response);
    const parsed = schema.safeParse(await jsonOf(response, response.url || this.#base));
    if (parsed.success) return parsed.data;
    throw new Failure("unreachable", "the platform answers in a form that this version does not know: update it");
  }

  get #base(): string {
    return `${describe(this.#session).discovery.api_url}/v1`;
  }

  /** A token that the platform refuses although its time is not over is replaced once. */
  async #send(path: string, { method = "GET", body, headers = {} }: Sent): Promise<Response> {
    const silent = !this.#waits;
    const init = (token: string): RequestInit => ({
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const token = await accessToken(this.#session, { silent });
    const url = `${this.#base}${path}`;
    const response = await request(url, init(token), waitMs, maxBytes);
    if (response.status !== 401) return response;
    const next = await accessToken(this.#session, { silent, refused: token });
    return request(url, init(next), waitMs, maxBytes);
  }
}

function at(...steps: (string | number)[]): string {
  return `/${steps.map((step) => encodeURIComponent(step)).join("/")}`;
}

const errorSchema = z.object({
  error: z.object({
    type: z.string(),
    code: z.string().optional(),
    message: z.string(),
    details: z
      .object({ fields: z.array(z.object({ path: z.string(), message: z.string() })).optional() })
      .optional()
      .catch(undefined),
  }),
});

/** The platform's own sentence, with the files or fields that it names. */
async function refusal(response: Response): Promise<Failure> {
  const { status } = response;
  const parsed = errorSchema.safeParse(await response.json().catch(() => undefined));
  const kind = status === 401 ? "signInNeeded" : status >= 500 ? "unreachable" : "failed";
  if (!parsed.success) return new Failure(kind, `the platform answers ${status} and does not say why`);
  const { message, details } = parsed.data.error;
  const fields = (details?.fields ?? []).map(({ path, message }) => `${path || "the folder"}: ${message}`);
  const told = fields.filter((field) => !message.includes(field));
  return new Failure(kind, [message, ...told].join("\n"));
}
