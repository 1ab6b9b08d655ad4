// The head of a page: its name, the page that it belongs to, what is mostly done there, and what it is for.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Name } from "./name.tsx";

type Props = {
  title: string;
  /** The page that lists it. */
  parent?: { path: string; title: string };
  action?: ReactNode;
  children?: ReactNode;
};

export function PageHead({ title, parent, action, children }: Props) {
  return (
    <>
      {parent && (
        <p className="parent">
          <Link href={parent.path}>{parent.title}</Link>
        </p>
      )}
      <div className="head">
        <h1 dir="auto">
          <Name of={title} />
        </h1>
        {action}
      </div>
      {children && <p className="about">{children}</p>}
    </>
  );
}
