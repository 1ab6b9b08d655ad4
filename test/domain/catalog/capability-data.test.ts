import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { refusedFields, sentBetas } from "../../../domain/catalog/capability.ts";
import { findModel, parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";

type Recording = {
  release: string;
  model: string;
  sent: { betas: string[]; fields: string[] }[];
  /** The model whose recording was copied by hand, until `npm run clients:bedrock` records this one. */
  copied_from?: string;
};
const recording: { recorded: string; recordings: Recording[] } = JSON.parse(
  readFileSync(new URL("../../clients/bedrock-mode.json", import.meta.url), "utf8"),
);
const catalog = parseCatalog(catalogData);

/** The flags that the vendor's own client sends to Amazon Bedrock and the table leaves out, each with the reason. */
const deviations: Record<string, string> = {
  "fallback-credit-2026-06-01": "the client goes on without it once it is refused",
  "thinking-token-count-2026-05-13": "the client goes on without it once it is refused",
};

const titleOf = ({ model, copied_from }: Recording) =>
  copied_from === undefined ? model : `${model} (not recorded, as ${copied_from})`;

/** Models of 4.6 and older. */
const older = ["claude-opus-4-6", "claude-sonnet-4-6", "claude-opus-4-5", "claude-sonnet-4-5", "claude-haiku-4-5"];

test.each(catalog.models.map(({ id, capabilities }) => [id, Object.keys(capabilities.api_versions)] as const))(
  "the version 2026-10-21 goes to %s if it is of 4.7 or newer",
  (id, versions) => {
    expect(versions).toEqual(older.includes(id) ? [] : ["2026-10-21"]);
  },
);

describe(`what Claude Code sent to Amazon Bedrock on ${recording.recorded}`, () => {
  test("Claude Code's requests were recorded for each model with two releases: npm run clients:bedrock", () => {
    const wanted = ["2.1.197", "2.1.330"].flatMap((release) => catalog.models.map(({ id }) => `${release} ${id}`));
    const found = recording.recordings.map(({ release, model }) => `${release} ${model}`);
    const missing = wanted.filter((one) => !found.includes(one));
    expect(missing.map((one) => `${one} is not recorded: npm run clients:bedrock, or copied_from`)).toEqual([]);
    expect(found.filter((one) => !wanted.includes(one))).toEqual([]);
  });

  test.each(recording.recordings.map((each) => [each.release, titleOf(each), each] as const))(
    "Claude Code's recorded requests match the capability table, except for named deviations: %s, %s",
    (_release, _title, { model, sent }) => {
      const { capabilities } = findModel(catalog, model) ?? {};
      if (!capabilities) throw new Error(`the catalog has no ${model}`);
      const betas = [...new Set(sent.flatMap((call) => call.betas))];
      const passed = sentBetas(capabilities, betas);
      expect(betas.filter((flag) => !passed.includes(flag) && deviations[flag] === undefined)).toEqual([]);
      const refused = refusedFields(capabilities, passed).map(({ path, value }) => (value === undefined ? path : ""));
      expect(sent.flatMap((call) => call.fields).filter((field) => refused.includes(field))).toEqual([]);
    },
  );

  test("each named deviation is in the recording of Claude Code", () => {
    const betas = recording.recordings.flatMap(({ sent }) => sent.flatMap((call) => call.betas));
    expect(Object.keys(deviations).filter((flag) => !betas.includes(flag))).toEqual([]);
  });
});
