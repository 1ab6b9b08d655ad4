// Folders of skills as tests upload them, and contents of versions in memory.
import type { SkillFile } from "../../../domain/skills/skill-file.ts";
import type { SkillContents } from "../../../domain/skills/skill-version.ts";

/** The files of a folder, by their paths. */
export function folder(files: Record<string, string | Uint8Array>): SkillFile[] {
  return Object.entries(files).map(([path, content]) => ({
    path,
    content: typeof content === "string" ? new TextEncoder().encode(content) : content,
  }));
}

/** SKILL.md. @param head further lines of the head */
export function instructions(name = "weekly-report", head = "", body = "# Do it\n"): string {
  return `---\nname: ${name}\ndescription: Writes the weekly report\n${head && `${head}\n`}---\n${body}`;
}

const runs = "metadata:\n  archway-run: scripts/report.py";

/** A skill with a script. */
export function scriptSkill(name = "weekly-report", script = "print('hello')\n"): Record<string, string> {
  return { "SKILL.md": instructions(name, runs), "scripts/report.py": script };
}

/** The body of an upload. */
export function uploadOf(files: Record<string, string | Uint8Array>, more: { name?: string; change?: string } = {}) {
  const encoded = folder(files).map(({ path, content }) => ({
    path,
    content: Buffer.from(content).toString("base64"),
  }));
  return { files: encoded, ...more };
}

/** @param objects the contents that are there, by their ids */
export function memoryContents(objects = new Map<string, SkillFile[]>()): SkillContents {
  const id = (tenantId: string, contentId: string) => `${tenantId}/${contentId}`;
  return {
    put: async (tenantId, contentId, files) => void objects.set(id(tenantId, contentId), [...files]),
    all: async ({ tenant_id, content_id }) => objects.get(id(tenant_id, content_id)),
    one: async ({ tenant_id, content_id }, path) =>
      objects.get(id(tenant_id, content_id))?.find((file) => file.path === path)?.content,
    async remove(tenantId, contentIds) {
      for (const contentId of contentIds) objects.delete(id(tenantId, contentId));
    },
  };
}
