import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { billingTelemetry, telemetry } from "../../adapters/telemetry.ts";
import type { RequestFacts } from "../../domain/messages/telemetry.ts";

type Emf = Record<string, unknown> & {
  _aws: {
    CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string; Unit: string }[] }[];
  };
};

let lines: Emf[];
beforeEach(() => {
  lines = [];
  jest.spyOn(process.stdout, "write").mockImplementation((line) => lines.push(JSON.parse(String(line))) > 0);
});
afterEach(() => void jest.restoreAllMocks());

const facts: RequestFacts = {
  request_id: "r1",
  endpoint: "messages",
  tenant_id: "t1",
  caller_id: "dev",
  session_id: "session-1",
  model: "claude-sonnet-5",
  region: "eu-central-1",
  source: "final",
};
const measures = { input: 1, output: 2, cache_read: 3, cost_nano_usd: 7, duration_ms: 40.5, first_byte_ms: 12 };

function open() {
  return telemetry("proxy", "prod");
}

describe("a finished request", () => {
  test("a finished request is one line in embedded metric format with service and stack as its only dimensions", () => {
    open().finished(facts, measures);
    expect(lines).toHaveLength(1);
    const [line] = lines;
    expect(line?._aws.CloudWatchMetrics).toEqual([
      {
        Namespace: "Archway",
        Dimensions: [["service", "stack"]],
        Metrics: expect.arrayContaining([
          { Name: "requests", Unit: "Count" },
          { Name: "output", Unit: "Count" },
          { Name: "cost_nano_usd", Unit: "Count" },
          { Name: "duration_ms", Unit: "Milliseconds" },
          { Name: "first_byte_ms", Unit: "Milliseconds" },
        ]),
      },
    ]);
    expect(line).toMatchObject({ service: "proxy", stack: "prod", requests: 1, ...measures });
  });

  test("a finished request carries tenant, caller, model, region and session as properties", () => {
    open().finished(facts, measures);
    expect(lines[0]).toMatchObject(facts);
    const names = lines[0]?._aws.CloudWatchMetrics[0]?.Metrics.map(({ Name }) => Name) ?? [];
    for (const fact of Object.keys(facts)) expect(names).not.toContain(fact);
  });

  test("a finished request leaves nothing behind for the next one", () => {
    const proxy = open();
    proxy.finished(facts, measures);
    const { session_id: _none, ...anonymous } = facts;
    proxy.finished({ ...anonymous, request_id: "r2", tenant_id: "t2" }, { output: 5 });
    expect(lines[1]).toMatchObject({ request_id: "r2", tenant_id: "t2", output: 5, requests: 1 });
    expect(Object.keys(lines[1] ?? {})).not.toContain("session_id");
    expect(Object.keys(lines[1] ?? {})).not.toContain("input");
  });

  test("a finished request without a session has no session property, not even an empty one", () => {
    open().finished({ ...facts, session_id: undefined }, measures);
    expect(Object.keys(lines[0] ?? {})).not.toContain("session_id");
  });
});

test("a refusal is counted by its code, which is a property of the log line", () => {
  const proxy = open();
  proxy.refused("budget_exceeded", { request_id: "r1", tenant_id: "t1", session_id: "s1" });
  proxy.refused("rate_limited", { request_id: "r2" });
  expect(lines).toEqual([
    expect.objectContaining({
      refusals: 1,
      refusal: "budget_exceeded",
      request_id: "r1",
      tenant_id: "t1",
      session_id: "s1",
    }),
    expect.objectContaining({ refusals: 1, refusal: "rate_limited", request_id: "r2", service: "proxy" }),
  ]);
  expect(lines[0]?._aws.CloudWatchMetrics[0]?.Dimensions).toEqual([["service", "stack"]]);
});

test("flags that the model refused are counted, and named together with the model", () => {
  open().flagsRefused(["new-2027-01-01", "newer-2027-02-02"], { request_id: "r1", model: "claude-sonnet-5" });
  expect(lines).toEqual([
    expect.objectContaining({
      beta_flags_refused: 2,
      refused_beta_flags: "new-2027-01-01,newer-2027-02-02",
      model: "claude-sonnet-5",
    }),
  ]);
});

test("calls that find their region short are counted, with the region and the model", () => {
  open().regionShort({ request_id: "r1", model: "claude-sonnet-5", region: "eu-central-1" });
  expect(lines).toEqual([
    expect.objectContaining({ regions_short: 1, model: "claude-sonnet-5", region: "eu-central-1" }),
  ]);
});

test("fields that the model does not know are counted, and named together with the model", () => {
  open().fieldsRefused(["diagnostics"], { request_id: "r1", model: "claude-sonnet-5" });
  expect(lines).toEqual([
    expect.objectContaining({ fields_refused: 1, refused_fields: "diagnostics", model: "claude-sonnet-5" }),
  ]);
});

test("a failure of the model host is also counted as an upstream error", () => {
  const proxy = open();
  proxy.refused("upstream_overloaded", { request_id: "r1" });
  proxy.refused("store_unavailable", { request_id: "r2" });
  expect(lines[0]).toMatchObject({ refusals: 1, upstream_errors: 1 });
  expect(Object.keys(lines[1] ?? {})).not.toContain("upstream_errors");
});

test("usage that is not billed is a metric of the function, and its log line names tenant and reason", () => {
  billingTelemetry("report", "prod").unbilled("difference", {
    tenant_id: "t1",
    invoice_id: "in_1",
    quantity: 7,
    seen: 0,
  });
  expect(lines).toEqual([
    expect.objectContaining({
      ...{ service: "report", stack: "prod", usage_unbilled: 1, reason: "difference" },
      ...{ tenant_id: "t1", invoice_id: "in_1", quantity: "7", seen: "0" },
    }),
  ]);
  expect(lines[0]?._aws.CloudWatchMetrics[0]?.Dimensions).toEqual([["service", "stack"]]);
});
