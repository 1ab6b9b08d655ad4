// The page on which an owner reviews a version, and activates exactly what was shown.

import { Failure } from "../../command-line/failure.ts";
import type { Skill } from "../api/shapes.ts";
import type { SkillsApi } from "../api/skills-api.ts";
import { reviewOf } from "../review/review.ts";
import type { Page } from "./local-pages.ts";

type Asked = { api: SkillsApi; workspace: string; name: string; version: number };

export function reviewPage({ api, workspace, name, version }: Asked): Page<Skill> {
  let shown: { digest: string; env_digest: string } | undefined;
  return {
    show: async () => {
      const review = await reviewOf(api, name, version);
      shown = { digest: review.digest, env_digest: review.env_digest };
      return { page: "review" as const, workspace, ...review };
    },
    answer: async ({ digest, env_digest }) => {
      if (shown === undefined || digest !== shown.digest || env_digest !== shown.env_digest)
        throw new Failure("failed", "this is not the version that was shown");
      const result = await api.activate(name, version, shown);
      return { result, says: `Version ${version} of ${name} is active. You can close this window.` };
    },
  };
}
