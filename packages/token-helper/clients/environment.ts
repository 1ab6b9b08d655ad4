// A shell's environment: for the SDKs and whatever else reads its variables.
import { Failure } from "../failure.ts";
import type { Client } from "./client.ts";

const shells: Record<
  string,
  { assign: (name: string, value: string) => string; run: (line: string) => string; quote: (text: string) => string }
> = {
  sh: { assign: (name, value) => `export ${name}=${value}`, run: (line) => `"$(${line})"`, quote: single },
  fish: {
    assign: (name, value) => `set -gx ${name} ${value}`,
    run: (line) => `(${line})`,
    quote: (text) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`,
  },
  powershell: {
    assign: (name, value) => `$env:${name} = ${value}`,
    run: (line) => `(${line.startsWith('"') ? `& ${line}` : line})`,
    quote: (text) => `'${text.replaceAll("'", "''")}'`,
  },
};

export const environment: Client = async ({
  machine,
  platform,
  workspace,
  model,
  smallModel,
  region,
  helper,
  shell,
}) => {
  const usual = machine.platform === "win32" ? "powershell" : "sh";
  const kind = shells[shell ?? usual];
  if (!kind) throw new Failure("usage", `--shell: must be one of ${Object.keys(shells).join(", ")}`);
  const values: [string, string][] = [
    ["ANTHROPIC_BASE_URL", kind.quote(platform.proxyUrl(workspace.slug))],
    ["ANTHROPIC_AUTH_TOKEN", kind.run(helper.line)],
    ["ANTHROPIC_MODEL", kind.quote(model)],
    ["ANTHROPIC_DEFAULT_HAIKU_MODEL", kind.quote(smallModel)],
    ...(region
      ? ([["ANTHROPIC_CUSTOM_HEADERS", kind.quote(`${platform.regionHeader}: ${region}`)]] as [string, string][])
      : []),
  ];
  const notes = ["The token ends within the hour: run it again then, or let a key helper run archway token."];
  return { text: values.map(([name, value]) => `${kind.assign(name, value)}\n`).join(""), notes };
};

function single(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
