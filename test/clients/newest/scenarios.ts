// What is played with the newest version of each client.
import type { Fault } from "../../../emulators/bedrock/faults.ts";
import type { AccountName } from "../accounts.ts";

export const scenarioNames = [
  "answer",
  "stream",
  "tools",
  "thinking",
  "image",
  "cache",
  "conversation",
  "wrong key",
  "throttled once",
  "broken off",
] as const;

/** `newest: claude-opus-5-5` is a question to the newest model of a family. */
export type ScenarioName = (typeof scenarioNames)[number] | `newest: ${string}`;

type Json = Record<string, unknown>;

export type Scenario = {
  /** What the client is asked to do: a function of a program, or the steps of an assistant. */
  task: Task;
  /** In words, for the page. */
  about: string;
  account?: AccountName;
  fault?: Fault;
  /** Whether a body shows what the scenario is about; at least one request has to. */
  sends?: (body: Json) => boolean;
  /** What the client has to write at its end, unless something goes wrong on purpose. */
  shows: RegExp;
  /** A failure is what the scenario is about, and how the client goes on is its own affair. */
  mayFail?: boolean;
};

export type Task = "answer" | "stream" | "tools" | "thinking" | "image" | "cache" | "conversation";

/** What the tool of a program gives, and what stands in the file that a tool of an assistant reads. */
export const inscription = "seventeen keystones";
const answered = /played by the local model host|"?inscription"?=/;
const has = (text: string) => (body: Json) => JSON.stringify(body).includes(text);
const turnsOf = ({ messages }: Json) => (Array.isArray(messages) ? messages : []);

export const scenarios: Record<(typeof scenarioNames)[number], Scenario> = {
  answer: {
    task: "answer",
    about: "a whole answer (`stream: false`)",
    sends: ({ stream }) => stream !== true,
    shows: answered,
  },
  stream: { task: "stream", about: "a streamed answer", sends: ({ stream }) => stream === true, shows: answered },
  tools: {
    task: "tools",
    about: "a tool is called, and the model answers with its result",
    sends: has('"tool_result"'),
    // A tool may say that it cannot do what the model host asks by rule.
    shows: new RegExp(`${inscription}|The tool [\\w-]+ answered`),
  },
  thinking: { task: "thinking", about: "thinking", sends: ({ thinking }) => thinking !== undefined, shows: answered },
  image: { task: "image", about: "a picture beside the question", sends: has('"image/png"'), shows: answered },
  cache: {
    task: "cache",
    about: "the same prompt twice: written to the cache, then read from it",
    sends: has('"cache_control"'),
    shows: answered,
  },
  conversation: {
    task: "conversation",
    about:
      "a conversation of many turns, with the thinking of those before; what the model host got of a turn begins what it gets of the next",
    sends: (body) => turnsOf(body).length >= 5,
    shows: answered,
  },
  "wrong key": {
    task: "stream",
    about: "a key that is not valid: the client shows the refusal, and does not ask for long",
    account: "wrong key",
    shows: /credential is not valid|credential_invalid|authentication/i,
    mayFail: true,
  },
  "throttled once": {
    task: "stream",
    about: "the model host throttles the first call: the client asks again, or says so",
    fault: { error: "ThrottlingException" },
    shows: /played by the local model host|"?inscription"?=|overloaded/,
    mayFail: true,
  },
  "broken off": {
    task: "stream",
    about: "the model host fails in mid-stream: the client shows it, or asks again",
    fault: { error: "modelStreamErrorException", after: 4 },
    shows: /played by the local model host|model host|api_error|error/i,
    mayFail: true,
  },
};

/** One question to a model. */
export const ofModel = (model: string): Scenario => ({
  task: "stream",
  about: `a question to ${model}`,
  sends: (body) => body.model === model,
  shows: answered,
});
