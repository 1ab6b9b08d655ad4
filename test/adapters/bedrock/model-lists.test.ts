import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { modelLists, publicId } from "../../../adapters/bedrock/model-lists.ts";

const summary = (modelId: string, modelLifecycle: object) => ({
  modelArn: "",
  modelId,
  modelName: "Claude X",
  modelLifecycle,
});
const profile = (inferenceProfileId: string, status = "ACTIVE") => ({
  ...{ inferenceProfileId, status, type: "SYSTEM_DEFINED", models: [] },
  ...{ inferenceProfileName: "", inferenceProfileArn: "" },
});
const access = (status: string) => ({
  modelId: "x",
  agreementAvailability: { status },
  ...{ authorizationStatus: "AUTHORIZED", entitlementAvailability: "AVAILABLE", regionAvailability: "AVAILABLE" },
});

const answers: Record<string, object> = {
  "/foundation-models": {
    modelSummaries: [
      summary("anthropic.claude-x", { status: "LEGACY", endOfLifeTime: "2027-01-22T00:00:00Z" }),
      summary("anthropic.claude-y", { status: "ACTIVE" }),
      summary("anthropic.claude-y:200k", { status: "ACTIVE" }),
      summary("meta.llama", { status: "ACTIVE" }),
    ],
  },
  "/inference-profiles?type=SYSTEM_DEFINED": {
    inferenceProfileSummaries: [profile("eu.anthropic.claude-x"), profile("eu.meta.llama")],
    nextToken: "2",
  },
  "/inference-profiles?nextToken=2&type=SYSTEM_DEFINED": {
    inferenceProfileSummaries: [profile("global.anthropic.claude-x"), profile("eu.anthropic.claude-y", "GONE")],
  },
  "/foundation-model-availability/anthropic.claude-x": access("AVAILABLE"),
  "/foundation-model-availability/anthropic.claude-y": access("PENDING"),
};

const server = createServer(({ url = "" }, response) => {
  const answer = answers[url];
  response.writeHead(answer ? 200 : 400, { "content-type": "application/json" }).end(JSON.stringify(answer ?? {}));
});
const before = process.env.AWS_ENDPOINT_URL_BEDROCK;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  process.env.AWS_ENDPOINT_URL_BEDROCK = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  if (before === undefined) delete process.env.AWS_ENDPOINT_URL_BEDROCK;
  else process.env.AWS_ENDPOINT_URL_BEDROCK = before;
  server.close();
});

const lists = modelLists(async () => ({ accessKeyId: "a", secretAccessKey: "s" }));

test("the lists have the vendor's models with their ends, and the profiles of all pages that can be called", async () => {
  expect(await lists.of("eu-central-1")).toEqual({
    region: "eu-central-1",
    models: [
      { id: "claude-x", baseId: "anthropic.claude-x", name: "Claude X", isLegacy: true, lastDay: "2027-01-22" },
      { id: "claude-y", baseId: "anthropic.claude-y", name: "Claude X", isLegacy: false },
    ],
    profiles: [
      { id: "eu.anthropic.claude-x", baseId: "anthropic.claude-x", reach: "geography" },
      { id: "global.anthropic.claude-x", baseId: "anthropic.claude-x", reach: "anywhere" },
    ],
  });
});

test("the account may use a model whose agreement is there", async () => {
  expect(await lists.mayUse("eu-central-1", "anthropic.claude-x")).toBe(true);
  expect(await lists.mayUse("eu-central-1", "anthropic.claude-y")).toBe(false);
});

test.each([
  ["anthropic.claude-opus-6", "claude-opus-6"],
  ["anthropic.claude-opus-4-6-v1", "claude-opus-4-6"],
  ["anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5"],
])("the public id of %s is %s", (id, name) => {
  expect(publicId(id)).toBe(name);
});
