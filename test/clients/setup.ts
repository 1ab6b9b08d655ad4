// `npm run clients:setup`: each client in an empty home, set up by `archway setup` and nothing else, is asked and answers.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startLocal } from "../../local/stack.ts";
import { freeCallbacks, Helper } from "../support/token-helper/token-helper.ts";
import { run } from "./child.ts";
import { modules, nativeBinary, openCodeBinary } from "./commands.ts";

const question = "What is an arch?";
/** Of the local model host, which names the model and quotes what it was asked. */
const answer = /This is (claude-[\w-]+), played by the local model host/;
const longestMs = 120_000;

const quiet = {
  IS_SANDBOX: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  CONTINUE_TELEMETRY_ENABLED: "0",
};

/** One white dot, and one empty page: what the client shows the model as an image and as a document. */
const shown = {
  "dot.png": Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==",
    "base64",
  ),
  "page.pdf": Buffer.from(
    "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj " +
      "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n",
  ),
};
const dot = shown["dot.png"].toString("base64");
const page = shown["page.pdf"].toString("base64");

/** The name that setup looks for on the path, the program behind it, its arguments, and those that show it the files of `shown`. */
const clients: Record<string, { name: string; program: () => string; args: string[]; showing?: string[] }> = {
  "claude-code": { name: "claude", program: () => nativeBinary("claude-code"), args: ["-p", question] },
  opencode: {
    name: "opencode",
    program: openCodeBinary,
    args: ["run", question],
    showing: ["run", question, ...Object.keys(shown).flatMap((file) => ["--file", file])],
  },
  continue: {
    name: "cn",
    program: () => `${process.execPath}" "${join(modules, "@continuedev/cli", "dist", "cn.js")}`,
    args: ["-p", question],
  },
};

/** Puts the client onto the path as its own installation would; gives the file. */
function install(home: string, name: string, program: string): string {
  const file = join(home, "bin", name);
  mkdirSync(join(home, "bin"));
  const env = Object.entries(quiet).map(([variable, value]) => `${variable}=${value}`);
  writeFileSync(file, `#!/bin/sh\nexport ${env.join(" ")} PATH="$PATH:${process.env.PATH}"\nexec "${program}" "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}

const stack = await startLocal({ port: 0, ephemeral: true, config: await freeCallbacks() });
const aHelper = await Helper.build(stack.at("api"));
const { demo } = stack;
if (!demo) throw new Error("The stack has no demo workspace");
try {
  for (const [name, client] of Object.entries(clients)) {
    const helper = await aHelper(demo.developer);
    const file = install(helper.home, client.name, client.program());
    const startedAt = performance.now();
    const { code, err } = await helper.run(["setup", name], { env: helper.browserOf(demo.developer) });
    if (code !== 0) throw new Error(`${name}: setup ended with ${code}: ${err}`);
    console.log(
      `${name}: setup took ${Math.round(performance.now() - startedAt)} ms: ${err.trim().split("\n").at(-1)}`,
    );
    const env = { ...quiet, HOME: helper.home, ...helper.environment };
    const ask = (args: string[]) => run({ file, args, env, cwd: helper.home }, AbortSignal.timeout(longestMs));
    const { output, milliseconds } = await ask(client.args);
    const [, model] = answer.exec(output) ?? [];
    console.log(`${name}: ${model ? `${model} answered in ${milliseconds} ms` : `no answer\n${output}`}`);
    if (!model) process.exitCode = 1;
    if (client.showing) {
      for (const [path, bytes] of Object.entries(shown)) writeFileSync(join(helper.home, path), bytes);
      const { output } = await ask(client.showing);
      const received = JSON.stringify(stack.bedrock.requests().map(({ body }) => body));
      const arrived = { image: received.includes(dot), document: received.includes(page) };
      const isAnswered = answer.test(output);
      console.log(`${name}: with files`, arrived, isAnswered ? "answered" : `no answer\n${output}`);
      if (!isAnswered || !arrived.image || !arrived.document) process.exitCode = 1;
    }
    helper.remove();
  }
} finally {
  await stack.stop();
}
