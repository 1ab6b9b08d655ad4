// `archway setup CLIENT`: writes the settings that a client needs for the person's grant into the client's own files, and tries them with a
// call.

import { type Command, textOption } from "../../command-line/command.ts";
import { exitCodes, Failure } from "../../command-line/failure.ts";
import { writeChanges } from "../../command-line/machine/settings-file.ts";
import { ownCommand } from "../../command-line/own-command.ts";
import { callerOf } from "../../sign-in/caller.ts";
import { openSession } from "../../sign-in/session.ts";
import { checks } from "../checks.ts";
import { chooseModels, chooseRegion, regionOf } from "../choice.ts";
import { claudeCode } from "../clients/claude-code.ts";
import type { Client } from "../clients/client.ts";
import { continueDev } from "../clients/continue.ts";
import { environment } from "../clients/environment.ts";
import { opencode } from "../clients/opencode.ts";
import { tryClient } from "../clients/trial.ts";
import { endings, modelsIn } from "../models.ts";
import { workspaceOf } from "../workspace.ts";
import { withWriteAccess } from "../write-access.ts";
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
  const session = openSession(machine, textOption(options, "profile"));
  const { platform, me } = await callerOf(session);
  const workspace = workspaceOf(me, platform.consoleUrl);
  const { budget, slug } = workspace;
  const wanted = { model: textOption(options, "model"), smallModel: textOption(options, "small-model") };
  const region = chooseRegion(budget, textOption(options, "region"));
  const where = regionOf(budget, region);
  const listed = await modelsIn(platform, slug, where);
  const models = listed.filter(({ id }) => budget.models.includes(id));
  const choice = chooseModels(
    models.map(({ id }) => id),
    where,
    wanted,
  );
  const print = options.print === true;
  const result = await client({
    machine,
    platform,
    changing: (why, work) => withWriteAccess(session, why, work),
    workspace,
    models,
    ...choice,
    region,
    profile: session.profile.name,
    get helper() {
      const { name } = session.profile;
      return ownCommand(machine, ["token", ...(name === "default" ? [] : ["--profile", name])]);
    },
    shell: textOption(options, "shell"),
    print,
  });
  machine.out(result.text ?? "");
  writeChanges(machine, result.files ?? [], print);
  for (const note of result.notes ?? []) machine.say(note);
  for (const ending of endings(models, [choice.model, choice.smallModel])) machine.say(ending);
  const [obstacle] = result.obstacles ?? [];
  if (obstacle !== undefined) throw new Failure("failed", obstacle);
  if (print || options["no-call"]) return 0;
  for await (const check of checks(session, { call: true, model: choice.smallModel, region })) {
    // A free credit does for a short call by an SDK, and for no assistant.
    const isTold = check.check === "credit" && !result.trial;
    if (!check.ok) machine.say(isTold ? check.detail : checkLine(check));
    if (!check.ok && !isTold) return exitCodes.failed;
    if (check.check === "call") machine.say(`${check.detail} in ${slug}: it works.`);
  }
  if (result.trial) machine.say(await tryClient(machine, result.trial, { platform, userId: me.user_id }));
  return 0;
};
