// A shell's environment: for the SDKs and whatever else reads its variables.
import { Failure } from "../../command-line/failure.ts";
import type { Client } from "./client.ts";

type Shell = {
  assign: (name: string, value: string) => string;
  run: (line: string) => string;
  quote: (text: string) => string;
};

const shells: Record<string, Shell> = {
  sh: {
    assign: (name, value) => `export ${name}=${value}`,
    run: (line) => `"$(${line})"`,
    quote: (text) => `'${text.replaceAll("'", "'\\''")}'`,
  },
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

export const environment: Client = async (setting) => {
  const { machine, platform, workspace, model, smallModel, region, helper, shell } = setting;
  const usual = machine.platform === "win32" ? "powershell" : "sh";
  const kind = shells[shell ?? usual];
  if (!kind) throw new Failure("usage", `--shell: must be one of ${Object.keys(shells).join(", ")}`);
  const values = {
    ANTHROPIC_BASE_URL: kind.quote(platform.proxyUrl(workspace.slug)),
    ANTHROPIC_AUTH_TOKEN: kind.run(helper.line),
    ANTHROPIC_MODEL: kind.quote(model),
    ANTHROPIC_DEFAULT_HAIKU_MODEL: kind.quote(smallModel),
    ...(region && { ANTHROPIC_CUSTOM_HEADERS: kind.quote(`${platform.regionHeader}: ${region}`) }),
  };
  const notes = ["The token ends within the hour: run it again then, or let a key helper run archway token."];
  const lines = Object.entries(values).map(([name, value]) => `${kind.assign(name, value)}\n`);
  return { text: lines.join(""), notes };
};
