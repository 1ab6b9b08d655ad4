// The active skills as resources, by the skills extension of MCP: `skill://<workspace>/<skill>/<file>`.
import { type Resource, ResourceNotFoundError } from "@modelcontextprotocol/server";
import {
  DIRECTORY_MIME_TYPE,
  type SkillReadResult,
  type SkillSource,
  SkillsExtension,
} from "@modelcontextprotocol/server/ext/skills";
import { instructionsPath, utf8TextOf } from "../../../domain/skills/skill-file.ts";
import { Failure } from "../../command-line/failure.ts";
import type { Version } from "../api/shapes.ts";
import type { SkillsApi } from "../api/skills-api.ts";
import type { ActiveSkill, ActiveSkills } from "./active-skills.ts";

/** A client may cache for as long as this program keeps an answer of the platform. */
const cacheHint = { ttlMs: 60_000, cacheScope: "private" } as const;

type Place = { one: ActiveSkill; root: string; path: string };

export function skillResources(api: SkillsApi, active: ActiveSkills): SkillsExtension {
  return new SkillsExtension({ source: new ActiveSource(api, active), cacheHint });
}

class ActiveSource implements SkillSource {
  readonly #api: SkillsApi;
  readonly #active: ActiveSkills;

  constructor(api: SkillsApi, active: ActiveSkills) {
    this.#api = api;
    this.#active = active;
  }

  async list() {
    await this.#known();
    const skills = await Promise.all(this.#active.all.map(async (one) => this.#entry(one)));
    return { skills };
  }

  async get(uri: string) {
    const place = await this.#place(uri);
    return place?.path === instructionsPath ? this.#entry(place.one) : undefined;
  }

  async read(uri: string): Promise<SkillReadResult | undefined> {
    const place = await this.#place(uri);
    if (!place) return undefined;
    const version = await this.#active.contents(place.one);
    const file = version.files.find(({ path }) => path === place.path);
    if (!file) return undefined;
    const bytes = await this.#api.file(version.name, version.version, file);
    const text = utf8TextOf({ content: bytes });
    const mimeType = mimeTypeOf(file.path);
    return text === undefined ? { bytes, mimeType: "application/octet-stream" } : { text, mimeType };
  }

  async readDirectory(uri: string) {
    const place = await this.#place(uri.endsWith("/") ? uri : `${uri}/`);
    if (!place) return undefined;
    const { files } = await this.#active.contents(place.one);
    const children = childrenOf(files, place.path);
    if (children.length === 0) return undefined;
    return {
      resources: children.map(({ name, isFolder }) => resourceOf(`${place.root}${place.path}`, name, isFolder)),
    };
  }

  async listResources(): Promise<Resource[]> {
    await this.#known();
    return this.#active.all.map(({ skill: { name, description } }) => ({
      uri: `${this.#root(name)}${instructionsPath}`,
      name,
      description,
      mimeType: "text/markdown",
    }));
  }

  async #entry(one: ActiveSkill) {
    const { name, frontmatter, files } = await this.#active.contents(one);
    const root = this.#root(name);
    const resources = files.map(({ path, digest, size }) => ({ uri: `${root}${encodedPath(path)}`, digest, size }));
    return { uri: `${root}${instructionsPath}`, frontmatter, resources } as never;
  }

  #root(name: string): string {
    return `skill://${this.#active.workspace?.slug ?? "workspace"}/${name}/`;
  }

  async #place(uri: string): Promise<Place | undefined> {
    await this.#known();
    const [, name = "", path = ""] = /^skill:\/\/[^/]+\/([^/]+)\/(.*)$/.exec(uri) ?? [];
    const one = this.#active.find(name);
    const root = this.#root(name);
    if (!one || !uri.startsWith(root)) return undefined;
    try {
      return { one, root, path: decodeURIComponent(path) };
    } catch {
      return undefined;
    }
  }

  /** The first question comes before the first answer of the platform. @throws ResourceNotFoundError without a sign-in. */
  async #known(): Promise<void> {
    if (this.#active.workspace) return;
    try {
      await this.#active.refresh();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      throw new ResourceNotFoundError("skill://", error.message);
    }
  }
}

function encodedPath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

function mimeTypeOf(path: string): string {
  if (path.endsWith(".md")) return "text/markdown";
  return path.endsWith(".json") ? "application/json" : "text/plain";
}

/** The entries directly in a folder. The folder's path is empty or ends in a slash. */
function childrenOf(files: Version["files"], folder: string): { name: string; isFolder: boolean }[] {
  const below = files.filter(({ path }) => path.startsWith(folder)).map(({ path }) => path.slice(folder.length));
  const names = new Map(below.map((path) => [path.split("/", 1)[0] ?? "", path.includes("/")]));
  return [...names].map(([name, isFolder]) => ({ name, isFolder }));
}

function resourceOf(folder: string, name: string, isFolder: boolean): Resource {
  const uri = `${folder}${encodeURIComponent(name)}`;
  return { uri, name, mimeType: isFolder ? DIRECTORY_MIME_TYPE : mimeTypeOf(name) };
}
