// `npm run clients:bedrock`: lets Claude Code itself call the local model host in place of Amazon Bedrock, and keeps in
// bedrock-mode.json which flags and fields it sends there, by release and model.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseCatalog, profileFor } from "../../domain/catalog/catalog.ts";
import catalogData from "../../domain/catalog/catalog-data.ts";
import type { ReceivedCall } from "../../emulators/bedrock/journal.ts";
import { ModelHostServer } from "../../emulators/test/support/model-host-server.ts";
import { run } from "./child.ts";
import { installedVersion, nativeBinary, quiet } from "./commands.ts";

const region = "us-east-1";
const longestMs = 120_000;
const releases = ["claude-code", "claude-code-2.1.197"] as const;

type Sent = { betas: string[]; fields: string[]; refused?: string };
/** The calls that a release sent for a model, in their order, each kind once. */
type Recording = { release: string; model: string; sent: Sent[] };

const recordings: Recording[] = [];
for (const release of releases) {
  for (const model of parseCatalog(catalogData).models) {
    const recording = {
      release: installedVersion(release),
      model: model.id,
      sent: await sentBy(release, profileFor(model, region, { allowGlobal: true }) ?? model.id),
    };
    recordings.push(recording);
    process.stdout.write(`${JSON.stringify(recording)}\n`);
  }
}
const kept = { recorded: new Date().toISOString().slice(0, 10), recordings };
writeFileSync(fileURLToPath(new URL("bedrock-mode.json", import.meta.url)), `${JSON.stringify(kept, null, 2)}\n`);

async function sentBy(release: (typeof releases)[number], modelId: string): Promise<Sent[]> {
  await using server = await ModelHostServer.start({ region });
  const place = mkdtempSync(join(tmpdir(), "archway-client-"));
  try {
    const [home, cwd] = [join(place, "home"), join(place, "work")];
    for (const folder of [home, cwd]) mkdirSync(folder);
    const env = {
      ...quiet,
      HOME: home,
      IS_SANDBOX: "1",
      CLAUDE_CODE_USE_BEDROCK: "1",
      ANTHROPIC_BEDROCK_BASE_URL: server.url,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: "none",
      AWS_SECRET_ACCESS_KEY: "none",
      AWS_EC2_METADATA_DISABLED: "true",
    };
    const args = ["-p", "What is an arch?", "--model", modelId];
    const { output } = await run({ file: nativeBinary(release), args, env, cwd }, AbortSignal.timeout(longestMs));
    const calls = server.host.requests().filter((call) => call.modelId === modelId);
    if (calls.length === 0) throw new Error(`${release} ${modelId}: ${output}`);
    const sent = calls.map(kindOf);
    return sent.filter(
      (kind, index) => sent.findIndex((other) => JSON.stringify(other) === JSON.stringify(kind)) === index,
    );
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function kindOf({ body, error }: ReceivedCall): Sent {
  const { anthropic_beta: betas = [], ...fields } = body as { anthropic_beta?: string[] };
  return { betas, fields: Object.keys(fields).sort(), ...(error !== undefined && { refused: error }) };
}
