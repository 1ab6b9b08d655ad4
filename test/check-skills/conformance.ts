// The conformance suite of MCP against the server's own factory over HTTP: the scenarios of the skills extension without an exception, and what a
// revision of the protocol requires, with what does not apply in `expected-*.yaml`. The suite also fails when one of those passes.

import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { thisMachine } from "../../packages/command-line/machine/machine.ts";
import { archwaySkills } from "../../packages/skills-mcp/program.ts";
import { httpServer } from "../support/skills/http-server.ts";
import type { SkillsSeat } from "../support/skills/skills-server.ts";
import { started } from "./started.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const suite = here("node_modules/@modelcontextprotocol/conformance/dist/index.js");

/** @throws Error with what the suite wrote */
export async function conform(seat: SkillsSeat): Promise<string> {
  const server = await httpServer({ ...thisMachine(archwaySkills), env: seat.environment, home: seat.home });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const judge = (...args: string[]) =>
    started(process.execPath, [suite, "server", "--url", url, ...args], { cwd: tmpdir() });
  const passed: string[] = [];
  try {
    for (const name of ["enumeration", "manifest", "directory"]) {
      const said = await judge("--scenario", `sep-2640-skills-${name}`, "--force");
      const [, count] = /Passed: (\d+\/\d+), 0 failed, 0 warnings/.exec(said) ?? [];
      if (!count || /SKIPPED/.test(said)) throw new Error(said.slice(-2_000));
      passed.push(`${name} ${count}`);
    }
    for (const revision of ["2025-11-25", "2026-07-28"]) {
      const expected = here(`expected-${revision}.yaml`);
      const said = await judge("--requirements", revision, "--expected-failures", expected);
      const [, total] = /Total: (.*)/.exec(said) ?? [];
      passed.push(`${revision} ${total}`);
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return passed.join(", ");
}
