// Fields that the newest clients send, compared with the table (domain/catalog/message-fields.ts).
import { join } from "node:path";
import { classOf } from "../../../domain/catalog/message-fields.ts";
import { requestFields } from "../request-fields.ts";

/** The fields of the newest SDK's requests that the table does not name, by what holds them. */
export function unclassedOfSdk(modules: string): string[] {
  return requestFields(join(modules, "@anthropic-ai/sdk/resources/beta/messages/messages.d.ts"))
    .filter((place) => classOf(place) === undefined)
    .map(({ holder, field }) => `${field} of ${holder}`);
}

/** The caller's own, and settings by the names of tools. */
const opaque = new Set(["input", "input_schema", "input_examples", "schema", "configs"]);

/** The fields of a request that the table does not name, each once. */
export function unclassedIn(body: Record<string, unknown>): string[] {
  const found = new Set<string>();
  look(body, ":");
  return [...found];

  function look(value: unknown, name: string): void {
    if (Array.isArray(value)) {
      for (const element of value) look(element, name);
    } else if (typeof value === "object" && value !== null) {
      const { type, role } = value as { type?: unknown; role?: unknown };
      const kind = typeof type === "string" ? type : typeof role === "string" ? role : "";
      const holder = name === ":" ? ":" : `${name}:${kind}`;
      for (const [field, within] of Object.entries(value)) {
        if (classOf({ holder, field }) === undefined) found.add(`${field} of ${holder}`);
        if (!opaque.has(field)) look(within, field);
      }
    }
  }
}
