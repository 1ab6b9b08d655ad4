// `activate NAME [VERSION]`: a person reviews a version at a terminal, and activates it by typing the beginning of its digest.

import { visibleLine } from "../../../domain/skills/hidden-text.ts";
import { type Command, textOption, wholeNumber } from "../../command-line/command.ts";
import { Failure } from "../../command-line/failure.ts";
import type { Machine } from "../../command-line/machine/machine.ts";
import { openSession } from "../../sign-in/session.ts";
import { SkillsApi } from "../api/skills-api.ts";
import type { FileReview } from "../review/file-review.ts";
import { type Review, reviewOf } from "../review/review.ts";
import { ask, requireTerminal } from "./terminal.ts";

/** The person types this many characters of the digest. */
const typed = 8;

export const activate: Command = async (machine, options, [name, number]) => {
  if (name === undefined) throw new Failure("usage", "activate: name a skill, and a version if it is not the latest");
  requireTerminal(machine, "activating a skill");
  const api = new SkillsApi(openSession(machine, textOption(options, "profile")), true);
  const chosen = wholeNumber({ version: number }, "version", 999_999) ?? (await api.skill(name)).latest_version;
  const review = await reviewOf(api, name, chosen);
  print(machine, review);
  const start = review.digest.replace("sha256:", "").slice(0, typed);
  const answer = await ask(
    machine,
    `To activate version ${chosen} for all members, type the first ${typed} characters of its digest:`,
  );
  if (answer.toLowerCase() !== start) throw new Failure("failed", "that is not its digest, and nothing was changed");
  await api.activate(name, chosen, review);
  machine.say(`Version ${chosen} of ${name} is active.`);
  return 0;
};

/** Every text was written by others: no line of it reaches the terminal with a control character. */
function print({ out }: Machine, review: Review): void {
  const { name, version, digest, author, change, active_version, run, env, warnings, files } = review;
  const rows: [string, unknown][] = [
    ["Skill", `${name}, version ${version}`],
    ["Active now", active_version ?? "none"],
    ["By", author],
    ["Change", change],
    ["Runs", run && `${run.path}, network ${run.network}, ${run.timeout_seconds} seconds`],
    ["Env vars", env.length === 0 ? "none" : undefined],
  ];
  for (const [title, value] of rows)
    if (value !== undefined) out(`${title.padEnd(11)} ${visibleLine(String(value))}\n`);
  for (const { name, state, now = "goes", active } of env) {
    out(`Env var     ${name} (${state}): ${now}\n`);
    if (active !== undefined) out(`            the active version has ${active}\n`);
  }
  for (const file of files) printFile(out, file);
  for (const { path = "", line, message } of warnings)
    out(`\nLook at ${visibleLine(path)}${line === undefined ? "" : `, line ${line}`}: ${visibleLine(message)}\n`);
  out(`\nDigest      ${digest}\n`);
}

function printFile(out: Machine["out"], { path, state, size, lines, difference }: FileReview): void {
  out(`\n=== ${visibleLine(path)} (${state}, ${size} bytes)\n`);
  if (difference) for (const { sign, line } of difference) out(`${sign} ${line}\n`);
  else if (!lines) out(state === "removed" ? "" : "(no text)\n");
  else if (state !== "unchanged") for (const line of lines) out(`  ${line}\n`);
}
