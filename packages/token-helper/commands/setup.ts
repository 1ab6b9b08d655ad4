// `archway setup CLIENT`: the settings that a client needs for one's grant, written into its own files, and tried with a call.
import { checks } from "../checks.ts";
import { chooseModels, chooseRegion } from "../choice.ts";
import { claudeCode } from "../clients/claude-code.ts";
import type { Client } from "../clients/client.ts";
import { continueDev } from "../clients/continue.ts";
import { environment } from "../clients/environment.ts";
import { opencode } from "../clients/opencode.ts";
import { type Command, textOf } from "../command.ts";
import { exitCodes, Failure } from "../failure.ts";
import { helperCommand } from "../helper-command.ts";
import { writeChanges } from "../machine/settings-file.ts";
import { Platform, workspaceOf } from "../platform.ts";
import { accessToken, describe, openSession } from "../session.ts";
import { checkLine } from "./doctor.ts";

const clients: Record<string, Client> = {
  "claude-code": claudeCode,
  opencode,
  continue: continueDev,
  env: environment,
};

export const setup: Command = async (machine, options, [name = ""]) => {
  const client = Object.hasOwn(clients, name) ? clients[name] : undefined;
  if (!client) throw new Failure("usage", `setup: name one of ${Object.keys(clients).join(", ")}`);
  const session = openSession(machine, textOf(options, "profile"));
  const token = await accessToken(session);
  const platform = new Platform(describe(session), token);
  const workspace = workspaceOf(await platform.me());
  const { budget, slug } = workspace;
  const wanted = { model: textOf(options, "model"), smallModel: textOf(options, "small-model") };
  const models = chooseModels(budget.models, wanted);
  const region = chooseRegion(budget, textOf(options, "region"));
  const print = options.print === true;
  const result = await client({
    machine,
    platform,
    workspace,
    ...models,
    region,
    profile: session.profile.name,
    get helper() {
      return helperCommand(machine, session.profile.name);
    },
    shell: textOf(options, "shell"),
    print,
  });
  machine.out(result.text ?? "");
  writeChanges(machine, result.files ?? [], print);
  for (const note of result.notes ?? []) machine.say(note);
  if (print || options["no-call"]) return 0;
  for await (const check of checks(session, { call: true, model: models.smallModel, region })) {
    if (!check.ok) {
      machine.say(checkLine(check));
      return exitCodes.failed;
    }
    if (check.check === "call") machine.say(`${check.detail} in ${slug}: it works.`);
  }
  return 0;
};
