// Starts a program many times at once, and prints how each run ended. It runs as a process of its own, so that whoever answers the
// programs is not busy with starting them: `node crowd.ts COUNT FILE ARGS...`
import { spawn } from "node:child_process";

const [count = "1", file = "", ...args] = process.argv.slice(2);

async function run() {
  const child = spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const texts = { out: "", err: "" };
  child.stdout.on("data", (chunk) => {
    texts.out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    texts.err += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, ...texts };
}

process.stdout.write(JSON.stringify(await Promise.all(Array.from({ length: Number(count) }, run))));
