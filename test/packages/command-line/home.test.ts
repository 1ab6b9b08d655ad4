import { expect, test } from "@jest/globals";
import { homeFolder, type Program } from "../../../packages/command-line/home.ts";
import { archway } from "../../../packages/token-helper/program.ts";

const skills: Program = { name: "archway-skills", appClient: "skills" };

test.each([
  ["linux", {}, "/home/ann/.config/archway"],
  ["linux", { XDG_CONFIG_HOME: "/x" }, "/x/archway"],
  ["darwin", {}, "/home/ann/.config/archway"],
  ["win32", { LOCALAPPDATA: "/local" }, "/local/archway"],
  ["win32", { ARCHWAY_HOME: "/own" }, "/own"],
] as const)(
  "on %s with the environment %j profiles are in %s, separate from another program's",
  (platform, env, folder) => {
    expect(homeFolder({ platform, env, home: "/home/ann", program: archway })).toBe(folder);
    expect(homeFolder({ platform, env, home: "/home/ann", program: skills })).toBe(`${folder}-skills`);
  },
);

test("the folder that the environment names may end in a slash", () => {
  const env = { ARCHWAY_HOME: "/own/" };
  expect(homeFolder({ platform: "linux", env, home: "/home/ann", program: skills })).toBe("/own-skills");
});
