// What is tried with the clients, as data.
import type { Fault } from "../../emulators/bedrock/faults.ts";
import type { AccountName } from "./accounts.ts";

export const clientNames = ["claude-code", "claude-code-2.1.197", "agent-sdk", "opencode", "continue", "sdk"] as const;
export type ClientName = (typeof clientNames)[number];

/** One start of the client. */
export type Step = {
  prompt: string;
  /** Which conversation it goes on with: the folder's last one, or that of the step before, by its id. */
  session?: "continue" | "resume";
  /** A name or alias as the client takes it. */
  model?: string;
  thinking?: "adaptive" | "enabled" | "none";
  cacheForAnHour?: boolean;
  /** The answer has to fit it. */
  schema?: object;
  /** Of the SDK: a function of programs/sdk.ts. */
  helper?: string;
};

/**
 * The model host puts a member's own name where a tool's schema leaves a text free. So the file that a tool reads and the
 * subagent that is started are called like that.
 */
export const readableFiles = ["file_path", "filePath", "filepath", "path"];
export const subagentName = "subagent_type";

export type Refusal = {
  status: number;
  type: string;
  /** To Claude Code and the Agent SDK, which repeat each 403 (docs/decisions/0033-refusals-that-end.md). */
  toClaudeCode?: { status: number; type: string };
};

export type Scenario = {
  name: string;
  clients: readonly ClientName[];
  steps: Step[];
  /** Whose credential it is; one that may do everything unless given. */
  account?: AccountName;
  /** How the credential gets to the client: in a variable unless given, or printed by a program that it calls. */
  by?: "apiKeyHelper";
  /** What goes wrong at the model host. */
  fault?: Fault;
  /** What at least one request must carry, so that a scenario cannot pass without having tried what it is about. */
  sends?: {
    thinking?: string;
    thinkingOff?: boolean;
    cacheTtl?: string;
    path?: string;
    credential?: "jwt";
    tools?: boolean;
    subagent?: boolean;
    /** Each step after the first with all that was asked and answered before it. */
    history?: boolean;
  };
  /** What the terminal must show, in every step. */
  shows: RegExp | "the refusal's words";
  /** The one refusal that is asked for; any other fails. With one, the client's exit code may be anything. */
  refusal?: Refusal;
  /** An error that the client asks for and goes on from by itself, as its vendor made it; it may come, or not. */
  fallback?: RegExp;
  /** True if the model host's failure in mid-stream may reach the client, and it may try again. */
  mayRetry?: boolean;
  /** Clients that retry the refusal whatever its headers say, and wait longer each time; how long is in docs/clients.md. */
  stubborn?: readonly ClientName[];
  /** The stack's status for a spent budget, 429 unless given. */
  budgetStatus?: 402;
};

const agents = ["claude-code", "claude-code-2.1.197", "agent-sdk"] as const;
const commands = [...agents, "opencode", "continue"] as const;

/** The model host's answers name the model and quote what was asked, or what a tool answered. */
const answered = /played by the local model host/;
/** Stands in the file that a tool reads; nothing else in a run says it. */
export const secretOfTheFile = "seventeen keystones";

const question = { prompt: "What is an arch?" };
const refused = (account: AccountName, status: number, type: string, toClaudeCode?: string): Scenario => ({
  name: account,
  clients: [...commands, "sdk"],
  account,
  steps: [question],
  refusal: { status, type, ...(toClaudeCode && { toClaudeCode: { status: 409, type: toClaudeCode } }) },
  shows: "the refusal's words",
});

const withAlias = (model: string): Scenario => ({
  name: `--model ${model}`,
  clients: agents,
  steps: [{ ...question, model }],
  shows: answered,
});

const shape = {
  type: "object",
  properties: { city: { type: "string" }, arches: { type: "integer" } },
  required: ["city", "arches"],
  additionalProperties: false,
};

export const scenarios: Scenario[] = [
  { name: "a question", clients: commands, steps: [question], shows: answered },
  {
    name: "several turns",
    clients: commands,
    steps: [question, { prompt: "And a vault?", session: "continue" }, { prompt: "And a dome?", session: "resume" }],
    sends: { history: true },
    shows: answered,
  },
  {
    name: "a tool that reads a file",
    clients: commands,
    // Each of them has one of these tools.
    steps: [{ prompt: "Use the tool Read, or read, or read_file, once." }],
    sends: { tools: true },
    shows: new RegExp(secretOfTheFile),
  },
  {
    name: "a subagent",
    // The subagent is asked the first 200 letters of this, in which no tool is named.
    clients: [...agents, "opencode"],
    steps: [{ prompt: `${"Think about arches. ".repeat(11)}Use the tool Agent, or Task, or task, once.` }],
    sends: { tools: true, subagent: true },
    shows: answered,
  },
  ...["opus", "sonnet", "haiku", "fable"].map(withAlias),
  {
    name: "adaptive thinking",
    clients: agents,
    steps: [{ ...question, thinking: "adaptive" }],
    sends: { thinking: "adaptive" },
    shows: answered,
  },
  {
    name: "enabled thinking",
    clients: agents,
    // The newest models know adaptive thinking alone.
    steps: [{ ...question, thinking: "enabled", model: "claude-haiku-4-5" }],
    sends: { thinking: "enabled" },
    shows: answered,
  },
  {
    name: "no thinking",
    clients: agents,
    // The newest Opus always thinks.
    steps: [{ ...question, thinking: "none", model: "claude-haiku-4-5" }],
    sends: { thinkingOff: true },
    shows: answered,
  },
  {
    name: "caching for an hour",
    clients: agents,
    steps: [{ ...question, cacheForAnHour: true }],
    sends: { cacheTtl: "1h" },
    shows: answered,
  },
  {
    name: "/context",
    clients: ["claude-code", "claude-code-2.1.197"],
    steps: [question, { prompt: "/context", session: "continue" }],
    sends: { path: "/v1/messages/count_tokens" },
    shows: /played by the local model host|context usage/i,
  },
  {
    name: "structured output",
    clients: agents,
    steps: [{ prompt: "Fill in StructuredOutput.", schema: shape }],
    shows: /"structured_output":\{[^}]*"arches":/,
  },
  { ...refused("wrong key", 401, "authentication_error"), name: "wrong key, expired token" },
  // opencode retries each 429; the next scenario is what a stack can do about it.
  { ...refused("spent budget", 429, "billing_error"), stubborn: ["opencode"] },
  { ...refused("spent budget", 402, "billing_error"), name: "spent budget, answered 402", budgetStatus: 402 },
  refused("model not granted", 403, "permission_error", "permission_error"),
  refused("region not granted", 403, "permission_error", "permission_error"),
  refused("suspended workspace", 403, "tenant_suspended", "tenant_suspended"),
  {
    ...refused("another workspace", 403, "permission_error", "permission_error"),
    name: "address of another workspace",
  },
  { ...refused("no workspace", 404, "tenant_not_found", "tenant_not_found"), name: "address of no workspace" },
  {
    name: "the model host fails in mid-stream",
    clients: commands,
    steps: [{ ...question, model: "claude-sonnet-5-5" }],
    fault: { error: "modelStreamErrorException", model: "anthropic.claude-sonnet-5-5", after: 4 },
    mayRetry: true,
    shows: /played by the local model host|the model host failed/i,
  },
  {
    name: "apiKeyHelper that prints a JWT",
    clients: ["claude-code", "claude-code-2.1.197"],
    account: "token of a person",
    by: "apiKeyHelper",
    steps: [question],
    sends: { credential: "jwt" },
    shows: answered,
  },
];

/** The helpers of the SDK: each is a function in programs/sdk.ts; `ok` is printed after it. */
const helpers = [
  "messages.create",
  "messages.stream",
  "stream with a tool",
  "beta.messages.toolRunner",
  "beta.messages.toolRunner, streamed",
  "messages.countTokens",
  "beta.messages.countTokens",
  "messages.parse",
  "beta.messages.parse",
  "models.list",
  "thinking",
  "caching for an hour",
];

scenarios.push(
  ...helpers.map(
    (name): Scenario => ({
      name: `SDK: ${name}`,
      clients: ["sdk"],
      steps: [{ ...question, helper: name }],
      // A proxy without threads says so, and the SDK sends the whole conversation.
      ...(name.includes("toolRunner") && { fallback: /\(thread_unsupported_request\)/ }),
      shows: /^ok$/m,
    }),
  ),
);
