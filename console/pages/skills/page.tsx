// Skills: what the workspace's assistants may use, what waits for a review, and the secrets of skills' scripts.

import { useState } from "react";
import { Link } from "wouter";
import type { Answer } from "../../app/api.ts";
import { useFilters, useIsOwner } from "../../app/page.ts";
import { useRead } from "../../app/query.ts";
import { StatusFilter } from "../../parts/field.tsx";
import { Name } from "../../parts/name.tsx";
import { useNames } from "../../parts/names.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { Empty, Loaded } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/time.tsx";
import { Secrets } from "./secrets.tsx";
import { UploadSkill } from "./upload.tsx";

type Skill = Answer<"GET /v1/skills">["data"][number];

/** Whether its newest version is none that somebody has reviewed. */
function waits({ active_version, latest_version }: Skill): boolean {
  return active_version === undefined || latest_version > active_version;
}

export default function Skills() {
  const isOwner = useIsOwner();
  const [filters, set] = useFilters({ status: "all" });
  const [isUploading, setUploading] = useState(false);
  const list = useRead("GET /v1/skills", {
    query: { status: filters.status === "all" ? undefined : filters.status },
  });
  const name = useNames(list.data?.data.map(({ created_by }) => created_by) ?? []);
  const columns: Column<Skill>[] = [
    {
      title: "Name",
      isHead: true,
      of: ({ name: skill, description }) => (
        <>
          <Link href={`/skills/${skill}`}>{skill}</Link>
          <p className="what">{description}</p>
        </>
      ),
    },
    { title: "Kind", of: ({ kind }) => kind },
    { title: "Status", of: ({ status }) => status },
    { title: "Active", isNumber: true, of: ({ active_version }) => active_version ?? "–" },
    {
      title: "Newest",
      isNumber: true,
      of: (skill) =>
        waits(skill) && isOwner ? <strong>{skill.latest_version}, to review</strong> : skill.latest_version,
    },
    { title: "By", of: ({ created_by }) => <Name of={name(created_by)} /> },
    { title: "Changed", of: ({ updated_at }) => <When at={updated_at} /> },
  ];
  return (
    <>
      <PageHead
        title="Skills"
        action={
          <button type="button" className="main" onClick={() => setUploading(true)}>
            Upload a skill
          </button>
        }
      >
        Everybody here can upload a skill. Assistants use it once an owner has reviewed and activated a version.
      </PageHead>
      <div className="filters">
        <StatusFilter
          value={filters.status}
          of={["all", "active", "inactive"]}
          onStatus={(status) => set({ status })}
        />
      </div>
      <Loaded query={list}>
        {({ data: skills }) =>
          skills.length === 0 ? (
            <Empty>No skill here. A skill is a folder with a file SKILL.md, which says what it is for.</Empty>
          ) : (
            <Table columns={columns} rows={skills} keyOf={(skill) => skill.name} />
          )
        }
      </Loaded>
      <Secrets />
      {isUploading && <UploadSkill onClose={() => setUploading(false)} />}
    </>
  );
}
