// What the judge of `npm run clients` lets pass, and what it does not.
import { describe, expect, test } from "@jest/globals";
import { featuresOf } from "./features.ts";
import { judge, type Run } from "./judge.ts";
import type { Exchange } from "./recorder.ts";
import type { Scenario } from "./scenarios.ts";

const question: Scenario = { name: "a question", clients: ["sdk"], steps: [{ prompt: "Why?" }], shows: /because/ };
const refused: Scenario = {
  ...question,
  refusal: { status: 429, type: "billing_error" },
  shows: "the refusal's words",
};
const billing = { status: 429, error: "billing_error (budget_exceeded): The budget of 5 USD is spent." };

function exchange(changes: Partial<Exchange> = {}): Exchange {
  const features = featuresOf({ "x-api-key": "ar_live_x" }, JSON.stringify({ model: "m", messages: [] }));
  const seen = { body: "", pings: 0, status: 200, inStream: false, clientLeft: false, retry: false, longestGap: 5 };
  return { method: "POST", url: "/vendor/v1/messages", startedAt: 0, features, ...seen, ...changes };
}

function run(exchanges: Exchange[], changes: Partial<Run["finished"][number]> = {}, silence = 0): Run {
  const finished = { output: "because", exitCode: 0, killed: undefined, milliseconds: 100, ...changes };
  return { client: "sdk", finished: [finished], exchanges, silence };
}

test("a scenario whose question is answered passes", () => {
  expect(judge(question, run([exchange()]))).toEqual([]);
});

describe("what a scenario does not ask for fails", () => {
  test.each([
    ["a 400", run([exchange({ status: 400, error: "invalid_request_error: no" }), exchange()])],
    ["a 500", run([exchange({ status: 500 })])],
    ["no answer", run([exchange({ status: -2 })])],
    ["an error in a stream", run([exchange({ inStream: true, error: "api_error: broken" })])],
    ["a retry", run([exchange({ retry: true })])],
    ["ten seconds without a byte of an answer", run([exchange({ longestGap: 10_001 })])],
    ["a client that sleeps", run([exchange()], {}, 10_001)],
    ["a client that has to be killed", run([exchange()], { killed: "after 90.0 s" })],
    ["a client that fails", run([exchange()], { exitCode: 1 })],
    ["another answer", run([exchange()], { output: "no idea" })],
    ["a client that asks nothing", run([])],
    ["a 404 that is no probe", run([exchange({ status: 404 })])],
  ])("a scenario fails for an unexpected event: %s", (_, played) => expect(judge(question, played)).toHaveLength(1));
});

test("Claude Code's probes may be answered with 404", () => {
  const probes = [
    exchange({ method: "HEAD", url: "/vendor", status: 404 }),
    exchange({ method: "HEAD", url: "/vendor/api/hello", status: 404 }),
  ];
  expect(judge(question, run([...probes, exchange()]))).toEqual([]);
});

describe("a refusal that is asked for", () => {
  test("an expected refusal passes if its message reaches the terminal, as JSON or broken into lines", () => {
    const outputs = ["The budget of 5 USD is spent.", 'error: \\"The budget of\n 5 USD is spent.\\"'];
    for (const output of outputs) {
      expect(judge(refused, run([exchange(billing)], { output, exitCode: 1 }))).toEqual([]);
    }
  });

  test("an expected refusal of a client that always retries passes with the retries and the waiting", () => {
    const played = run([exchange(billing), exchange({ ...billing, retry: true })], { output: billing.error }, 39_000);
    expect(judge({ ...refused, stubborn: ["sdk"] }, played)).toEqual([]);
    expect(judge({ ...refused, stubborn: ["opencode"] }, played)).toHaveLength(2);
  });

  test("an expected refusal fails if its message does not reach the terminal, or if it is missing or different", () => {
    expect(judge(refused, run([exchange(billing)]))).toHaveLength(1);
    expect(judge(refused, run([exchange()]))).toHaveLength(2);
    const other = exchange({ status: 429, error: "rate_limit_error: slowly" });
    expect(judge(refused, run([exchange(billing), other], { output: "The budget of 5 USD is spent." }))).toHaveLength(
      1,
    );
  });
});

test("a scenario fails if no request used its feature", () => {
  expect(judge({ ...question, sends: { cacheTtl: "1h" } }, run([exchange()]))).toEqual([
    "no request with cache ttl 1h",
  ]);
});

describe("a conversation", () => {
  const conversation: Scenario = {
    ...question,
    steps: [{ prompt: "Why?" }, { prompt: "And how?" }, { prompt: "And when?" }],
    sends: { history: true },
  };
  const why = {
    role: "user",
    content: [
      { type: "text", text: "<reminder>" },
      { type: "text", text: '"Why?"' },
    ],
  };
  const how = { role: "user", content: "And how?" };
  const when = { role: "user", content: "And when?" };
  const because = { role: "assistant", content: [{ type: "text", text: "because" }] };
  const told = (...requests: object[][]) =>
    run(requests.map((messages) => exchange({ features: featuresOf({}, JSON.stringify({ messages })) })));
  const whole = [[why], [why, because, how], [why, because, how, because, when]];

  test("a recorded conversation passes if each request holds the earlier questions and answers", () => {
    expect(judge(conversation, told(...whole))).toEqual([]);
    expect(judge(conversation, told([{ role: "user", content: "A title for: Why?" }], ...whole))).toEqual([]);
  });

  test.each<[string, object[][], number]>([
    ["begins anew each time", [[why], [how], [when]], 2],
    ["forgets the first turn at the third", [[why], [why, because, how], [how, because, when]], 1],
    ["leaves the answers out", [[why], [why, how], [why, how, when]], 2],
    ["has the turns in another order", [[why], [how, because, why], [when, how, because, why, because]], 2],
    ["says as an answer what was asked", [[why], [{ ...why, role: "assistant" }, because, how], whole[2] ?? []], 1],
    ["does not come to its last step", whole.slice(0, 2), 1],
  ])("fails if it %s", (_, requests, problems) => {
    expect(judge(conversation, told(...requests))).toHaveLength(problems);
  });
});

test("a recording replaces each credential by its kind", () => {
  const kind = (headers: Record<string, string>) => featuresOf(headers, "").credential;
  expect(kind({ authorization: "Bearer eyJh.eyJz.sig" })).toBe("jwt");
  expect(kind({ "x-api-key": "ar_live_secret" })).toBe("key");
  expect(kind({})).toBe("none");
});
