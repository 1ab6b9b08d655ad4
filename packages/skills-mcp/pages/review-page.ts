// The page on which an owner reviews a version, and activates exactly what was shown.

import { Failure } from "../../command-line/failure.ts";
import type { Skill } from "../api/shapes.ts";
import type { SkillsApi } from "../api/skills-api.ts";
import { reviewOf } from "../review/review.ts";
import type { Page } from "./local-pages.ts";

type Asked = { api: SkillsApi; workspace: string; name: string; version: number };

export function reviewPage({ api, workspace, name, version }: Asked): Page<Skill> {
  let shown: string | undefined;
  return {
    show: async () => {
      const review = await reviewOf(api, name, version);
      shown = review.digest;
      return { page: "review" as const, workspace, ...review };
    },
    answer: async ({ digest }) => {
      if (shown === undefined || digest !== shown)
        throw new Failure("failed", "this is not the version that was shown");
      const result = await api.activate(name, version, shown);
      return { result, says: `Version ${version} of ${name} is active. You can close this window.` };
    },
  };
}
