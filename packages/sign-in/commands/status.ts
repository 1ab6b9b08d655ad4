// `status`: who is signed in where, from what lies on this machine alone.

import { type Command, textOption } from "../../command-line/command.ts";
import { exitCodes } from "../../command-line/failure.ts";
import type { Machine } from "../../command-line/machine/machine.ts";
import { claimsOf } from "../platform/claims.ts";
import { openSession } from "../session.ts";

export const status: Command = async (machine, options) => {
  const { profile, credentials } = openSession(machine, textOption(options, "profile"));
  const description = profile.read();
  const refreshToken = description && (await credentials.refreshToken(description.store));
  const access = credentials.access();
  const claims = claimsOf(access?.access_token ?? "") ?? {};
  const facts = {
    profile: profile.name,
    folder: profile.folder,
    signed_in: refreshToken !== undefined,
    url: description?.url,
    email: description?.email,
    tenant_id: claims.tenant_id,
    tenant_role: claims.tenant_role,
    access_token_expires_at: access && new Date(access.expires_at).toISOString(),
    store: description && credentials.describe(description.store),
  };
  if (options.json) machine.out(`${JSON.stringify(facts, null, 2)}\n`);
  else machine.out(lines(facts, machine));
  return facts.signed_in ? 0 : exitCodes.signInNeeded;
};

function lines(
  facts: Record<string, string | boolean | undefined>,
  { now, program }: Pick<Machine, "now" | "program">,
): string {
  const expires = Date.parse(String(facts.access_token_expires_at));
  const minutes = Math.round((expires - now()) / 60_000);
  const rows: [string, unknown][] = [
    ["Profile", `${facts.profile} (${facts.folder})`],
    ["Platform", facts.url ?? "none"],
    ["Signed in", facts.signed_in ? `as ${facts.email ?? "somebody"}` : `no: ${program.name} login`],
    ["Workspace", facts.tenant_id ? `${facts.tenant_id}, ${facts.tenant_role}` : "none in the token"],
    ["Access token", minutes > 0 ? `ends in ${minutes} minutes` : "none; the next call gets one"],
    ["Refresh token", facts.signed_in ? `in ${facts.store}` : "none"],
  ];
  return rows.map(([name, value]) => `${name.padEnd(14)} ${value}\n`).join("");
}
