// `npm run clients:setup`: each client in an empty home, set up by `archway setup` and nothing else, is asked and answers.
import { join } from "node:path";
import { Helper, stackWithFreePorts } from "../support/token-helper/token-helper.ts";
import { type Command, run } from "./child.ts";
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

const clients: Record<string, () => Pick<Command, "file" | "args">> = {
  "claude-code": () => ({ file: nativeBinary("claude-code"), args: ["-p", question] }),
  opencode: () => ({ file: openCodeBinary(), args: ["run", question] }),
  continue: () => ({
    file: process.execPath,
    args: [join(modules, "@continuedev/cli", "dist", "cn.js"), "-p", question],
  }),
};

const stack = await stackWithFreePorts();
const aHelper = await Helper.build(stack.at("api"));
try {
  for (const [name, command] of Object.entries(clients)) {
    const helper = await aHelper(stack.demo?.developer);
    const { code, err } = await helper.run(["setup", name]);
    if (code !== 0) throw new Error(`${name}: setup ended with ${code}: ${err}`);
    const env = { ...quiet, HOME: helper.home, ...helper.environment };
    const { output, milliseconds } = await run({ ...command(), env, cwd: helper.home }, AbortSignal.timeout(longestMs));
    const [, model] = answer.exec(output) ?? [];
    console.log(`${name}: ${model ? `${model} answered in ${milliseconds} ms` : `no answer\n${output}`}`);
    if (!model) process.exitCode = 1;
    helper.remove();
  }
} finally {
  await stack.stop();
}
