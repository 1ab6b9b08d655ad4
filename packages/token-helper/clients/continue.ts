// Continue: it has no key helper, so it gets an API key of the person's own, in the file where it keeps secrets.
import { join } from "node:path";
import { type Document, isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from "yaml";
import { Failure } from "../../command-line/failure.ts";
import { type FileChange, readSettings, sentence } from "../../command-line/machine/settings-file.ts";
import { createKey, takesKey } from "../models.ts";
import type { Client, Setting } from "./client.ts";

const secret = "ARCHWAY_API_KEY";

export const continueDev: Client = async (setting) => {
  const { machine, platform, workspace, model, smallModel, region } = setting;
  const folder = machine.env.CONTINUE_GLOBAL_DIR || join(machine.home, ".continue");
  const shared = {
    provider: "anthropic",
    apiBase: `${platform.proxyUrl(workspace.slug)}/v1/`,
    apiKey: `\${{ secrets.${secret} }}`,
    capabilities: ["tool_use", "image_input"],
    ...(region && { requestOptions: { headers: { [platform.regionHeader]: region } } }),
  };
  const label = `Archway (${workspace.name})`;
  const entries = [
    { name: label, ...shared, model, roles: ["chat", "edit", "apply"] },
    { name: `${label}, small`, ...shared, model: smallModel, roles: ["summarize"] },
  ];
  // The configuration is read before a key is created: a file that cannot be changed leaves no key behind.
  const config = configFile(join(folder, "config.yaml"), entries);
  const { file, notes } = await secretsFile(join(folder, ".env"), setting);
  const trial = { program: "cn", args: ["-p"] };
  return { files: [config, ...(file ? [file] : []), startedFile(folder)], notes, trial };
};

/** The file that says that Continue was started before. A first start asks for a key of the vendor's, whatever the configuration says. */
function startedFile(folder: string): FileChange {
  const file = join(folder, ".onboarding_complete");
  const before = readSettings(file);
  if (before !== undefined) return { file, text: before, said: [] };
  return { file, text: "by archway setup\n", said: ["added   the mark that its first start is over"] };
}

/** Replaces entries of the same name. @throws Failure. */
function configFile(file: string, entries: { name: string }[]): FileChange {
  const text = readSettings(file);
  const document = parseDocument(text?.trim() ? text : "name: Local\nversion: 0.0.1\nschema: v1\n");
  const [error] = document.errors;
  const models = document.get("models") ?? undefined;
  if (error || !isMap(document.contents) || (models !== undefined && !isSeq(models))) {
    throw new Failure(
      "failed",
      `${file} is no valid configuration (${error?.code ?? "no list of models"}): repair it first, nothing was changed`,
    );
  }
  const list = (models ?? setList(document)) as YAMLSeq;
  const said = entries.flatMap((entry) => {
    const node = document.createNode(entry);
    const at = list.items.findIndex((item) => isMap(item) && (item as YAMLMap).get("name") === entry.name);
    const before = at < 0 ? undefined : (list.items[at] as YAMLMap).toJSON();
    if (JSON.stringify(before) === JSON.stringify(entry)) return [];
    if (at < 0) list.items.push(node);
    else list.items[at] = node;
    return [sentence(`models[${entry.name}]`, before, entry)];
  });
  return { file, text: said.length > 0 ? document.toString({ lineWidth: 0 }) : (text ?? ""), said };
}

function setList(document: Document): unknown {
  document.set("models", document.createNode([]));
  const list = document.get("models") as YAMLSeq;
  list.flow = false;
  return list;
}

/** Takes the key that is there, and creates none twice. */
async function secretsFile(path: string, { machine, platform, changing, workspace, print }: Setting) {
  const text = readSettings(path) ?? "";
  const line = new RegExp(`^\\s*${secret}\\s*=\\s*(\\S+)`, "m");
  const [, current] = line.exec(text) ?? [];
  if (current && (await takesKey(platform, workspace.slug, current))) return { file: undefined, notes: [] };
  if (print)
    return {
      file: undefined,
      notes: [`${path}: ${secret}=<a new API key of yours, which is created without --print>`],
    };
  const name = `Continue on ${machine.hostname}`.slice(0, 60);
  const { key, key_id } = await changing("a new API key", (writer) => createKey(writer, name));
  const added =
    current === undefined
      ? `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${secret}=${key}\n`
      : text.replace(line, () => `${secret}=${key}`);
  return {
    file: {
      file: path,
      text: added,
      said: [`${current === undefined ? "added  " : "changed"} ${secret}, the new API key ${key_id}`],
    },
    notes: [
      `Continue has no key helper: the API key ${key_id} was created for it. It spends your grant, and archway logout does not end it; the console does.`,
    ],
  };
}
