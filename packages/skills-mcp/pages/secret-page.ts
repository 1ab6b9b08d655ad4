// The page on which a secret's value is typed: it goes from there to the platform, past the model.
import { environmentLimits } from "../../../domain/skills/limits.ts";
import { Failure } from "../../command-line/failure.ts";
import type { SkillsApi } from "../api/skills-api.ts";
import type { Page } from "./local-pages.ts";

type Asked = { api: SkillsApi; workspace: string; name: string; description: string | undefined };

export function secretPage({ api, workspace, name, description }: Asked): Page<"stored"> {
  return {
    show: async () => {
      const before = (await api.secrets()).find((secret) => secret.name === name);
      return {
        page: "secret" as const,
        workspace,
        name,
        description,
        replaces: before !== undefined,
        usedBy: before?.used_by ?? [],
      };
    },
    answer: async ({ value }) => {
      await api.putSecret(name, checkedValue(value), description);
      return { result: "stored", says: `${name} is stored. You can close this window.` };
    },
  };
}

/** @throws Failure without the value. */
export function checkedValue(value: unknown): string {
  if (typeof value !== "string" || value === "") throw new Failure("failed", "type the secret's value");
  const { secretBytes } = environmentLimits;
  if (Buffer.byteLength(value) <= secretBytes) return value;
  throw new Failure("failed", `the value has ${Buffer.byteLength(value)} bytes, at most ${secretBytes} are allowed`);
}
