#!/usr/bin/env node
// The program's start.
import { run } from "./cli.ts";

run(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
  // A connection through a proxy that hangs would keep the process alive long after its answer.
  if (code !== 0) process.stdout.write("", () => process.stderr.write("", () => process.exit()));
});
