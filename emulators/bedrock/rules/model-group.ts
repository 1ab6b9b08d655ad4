// The groups of models that a rule is for, by family and version, so that next month's model falls under the rules of its kind.

export type ModelGroup = {
  /** The group as docs/local-host.md names it. */
  title: string;
  /** @param id the foundation model's id, e.g. `anthropic.claude-sonnet-5` */
  has: (id: string) => boolean;
};

export const every: ModelGroup = { title: "all", has: () => true };

/** @param version e.g. `4.7` */
export const since = (version: string): ModelGroup => ({
  title: `${version} and newer`,
  has: (id) => versionOf(id) >= rank(version),
});

export const until = (version: string): ModelGroup => ({
  title: `${version} and older`,
  has: (id) => versionOf(id) <= rank(version),
});

/** @param names families or models, e.g. `fable` or `opus-5-5` */
export const only = (...names: string[]): ModelGroup => ({
  title: names.map(titleOf).join(", "),
  has: (id) => names.some((name) => isOf(id, name)),
});

export const without = (group: ModelGroup, ...names: string[]): ModelGroup => ({
  title: `${group.title}, without ${names.map(titleOf).join(", ")}`,
  has: (id) => group.has(id) && !names.some((name) => isOf(id, name)),
});

/** The day of a snapshot (`-20251101`) is no part of a version. */
const parts = /claude-(?<family>[a-z]+)-(?<major>\d+)(?:-(?<minor>\d{1,2})(?!\d))?/;

function isOf(id: string, name: string): boolean {
  const { family, major, minor } = parts.exec(id)?.groups ?? {};
  return name === family || name === [family, major, minor].filter((part) => part !== undefined).join("-");
}

function versionOf(id: string): number {
  const { major, minor = "0" } = parts.exec(id)?.groups ?? {};
  return rank(`${major}.${minor}`);
}

function rank(version: string): number {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major * 100 + minor;
}

/** `opus-5-5` is Opus 5.5. */
function titleOf(name: string): string {
  const [family = "", ...version] = name.split("-");
  return [`${family.slice(0, 1).toUpperCase()}${family.slice(1)}`, version.join(".")].join(" ").trim();
}
