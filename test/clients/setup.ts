// `npm run clients:setup`: each client in an empty home, set up by `archway setup` and nothing else, is asked and answers.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Helper, stackWithFreePorts } from "../support/token-helper/token-helper.ts";
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

/** The name that setup looks for on the path, the program behind it, and its arguments. */
const clients: Record<string, { name: string; program: () => string; args: string[] }> = {
  "claude-code": { name: "claude", program: () => nativeBinary("claude-code"), args: ["-p", question] },
  opencode: { name: "opencode", program: openCodeBinary, args: ["run", question] },
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

const stack = await stackWithFreePorts();
const aHelper = await Helper.build(stack.at("api"));
try {
  for (const [name, client] of Object.entries(clients)) {
    const helper = await aHelper(stack.demo?.developer);
    const file = install(helper.home, client.name, client.program());
    const startedAt = performance.now();
    const { code, err } = await helper.run(["setup", name]);
    if (code !== 0) throw new Error(`${name}: setup ended with ${code}: ${err}`);
    console.log(
      `${name}: setup took ${Math.round(performance.now() - startedAt)} ms: ${err.trim().split("\n").at(-1)}`,
    );
    const env = { ...quiet, HOME: helper.home, ...helper.environment };
    const { output, milliseconds } = await run(
      { file, args: client.args, env, cwd: helper.home },
      AbortSignal.timeout(longestMs),
    );
    const [, model] = answer.exec(output) ?? [];
    console.log(`${name}: ${model ? `${model} answered in ${milliseconds} ms` : `no answer\n${output}`}`);
    if (!model) process.exitCode = 1;
    helper.remove();
  }
} finally {
  await stack.stop();
}
