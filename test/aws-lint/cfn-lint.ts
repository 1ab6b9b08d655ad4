// cfn-lint over templates: AWS's own resource schemas and a few hundred rules.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Linters } from "./python.ts";
import type { Template } from "./template.ts";

type Match = { Level: string; Message: string; Location: { Path: (string | number)[] | null }; Rule: { Id: string } };

/** What happens to data when a stack goes is an option of Pulumi's, which templates do not show. */
const retention = "I3011";

/** One line for each finding of any level. @throws Error if cfn-lint itself fails. */
export function lintTemplates(linters: Linters, templates: Map<string, Template>): string[] {
  const folder = mkdtempSync(join(tmpdir(), "archway-cfn-lint-"));
  try {
    return [...templates].flatMap(([region, template]) => {
      const file = join(folder, `${region}.json`);
      writeFileSync(file, JSON.stringify(template));
      const args = [
        "--regions",
        region,
        "--include-checks",
        "I",
        "--ignore-checks",
        retention,
        "--format",
        "json",
        "--",
        file,
      ];
      const { stdout, stderr } = linters.run("cfn-lint", args);
      if (!stdout.startsWith("[")) throw new Error(`cfn-lint: ${stdout}${stderr}`);
      return (JSON.parse(stdout) as Match[]).map(
        ({ Rule, Location, Message }) => `${Rule.Id} ${region} ${Location.Path?.join("/") ?? ""}: ${Message}`,
      );
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
