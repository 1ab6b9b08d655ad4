// Refuses a request that sets a field which is somebody else's to set (writers.ts).
import { record } from "../../../domain/kernel/json.ts";
import { Refusal, type WrongField } from "../../../domain/kernel/refusal.ts";
import type { ControlCaller } from "../../middleware/caller.ts";
import { type Body, UseCaseRule, type Writer, type Writers } from "./writers.ts";

/** @param given the body as it came, without defaults @throws Refusal role_missing that names each field that is somebody else's */
export function requireWriters({ writers }: Body, given: unknown, caller: ControlCaller): void {
  const refused = refusedFields(writers, given, caller, "");
  if (refused.length === 0) return;
  const message = refused.map(({ path, message }) => `${path}: ${message}`).join("; ");
  throw new Refusal("role_missing", message, { fields: refused });
}

function refusedFields(
  writers: Writers | undefined,
  given: unknown,
  caller: ControlCaller,
  path: string,
): WrongField[] {
  if (given === undefined) return [];
  if (typeof writers !== "object" || writers instanceof UseCaseRule) {
    const message = problemOf(writers, caller);
    return message === undefined ? [] : [{ path: path || "body", message }];
  }
  if (typeof given === "string") return refusedFields(writers[given], given, caller, path);
  return Object.entries(record(given)).flatMap(([part, value]) =>
    refusedFields(writers[part], value, caller, path === "" ? part : `${path}.${part}`),
  );
}

function problemOf(writer: Writer | undefined, caller: ControlCaller): string | undefined {
  if (writer === "caller" || writer instanceof UseCaseRule) return undefined;
  if (writer === "platform_admin") {
    return caller.platformRole === "platform_admin" ? undefined : "this needs the platform role platform_admin";
  }
  const role = "role" in caller ? caller.role : "tenant" in caller && caller.tenant.owner_sub === caller.sub && "owner";
  return role === "owner" ? undefined : `this needs the role owner${role ? `; yours is ${role}` : ""}`;
}
